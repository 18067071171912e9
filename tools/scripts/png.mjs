// Pictures of screens have few colours: with a palette they are a third of the size, and look the same.
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const COLOURS_MAX = 256;
const SIGNATURE_BYTES = 8;
/** Of a chunk: its length, its type and its checksum. */
const CHUNK_FRAME_BYTES = 12;
const SAMPLES = { 2: 3, 6: 4 }; // RGB, RGBA; of 8 bits each

/** The same picture with a palette; as it is where it is not what a browser makes. */
export function withPalette(png) {
  const { header, data } = chunksOf(png);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const samples = SAMPLES[header[9]];
  if (header[8] !== 8 || samples === undefined || header[12] !== 0) return png;

  const pixels = unfiltered(inflateSync(data), width * samples, height, samples);
  const counts = new Map();
  for (let at = 0; at < pixels.length; at += samples) {
    const colour = (pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2];
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const palette = [...counts.keys()].toSorted((a, b) => counts.get(b) - counts.get(a)).slice(0, COLOURS_MAX);
  const places = new Map([...counts.keys()].map((colour) => [colour, nearest(palette, colour)]));

  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0, from = 0; y < height; y++) {
    for (let x = 0; x < width; x++, from += samples) {
      const colour = (pixels[from] << 16) | (pixels[from + 1] << 8) | pixels[from + 2];
      rows[y * (width + 1) + 1 + x] = places.get(colour);
    }
  }
  const head = Buffer.from(header);
  head[9] = 3; // indexed
  return Buffer.concat([
    png.subarray(0, SIGNATURE_BYTES),
    chunk('IHDR', head),
    chunk(
      'PLTE',
      Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255])),
    ),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunksOf(png) {
  const data = [];
  let header = Buffer.alloc(0);
  for (let at = SIGNATURE_BYTES; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const content = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') header = content;
    if (type === 'IDAT') data.push(content);
    at += CHUNK_FRAME_BYTES + length;
  }
  return { header, data: Buffer.concat(data) };
}

/** Undoes the five filters of the format, row by row. */
function unfiltered(raw, stride, height, samples) {
  const out = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x >= samples ? out[at - samples] : 0;
      const up = y > 0 ? out[at - stride] : 0;
      const corner = x >= samples && y > 0 ? out[at - stride - samples] : 0;
      const guess = [0, left, up, (left + up) >> 1, filter === 4 ? paeth(left, up, corner) : 0][filter];
      out[at] = raw[y * (stride + 1) + 1 + x] + guess;
    }
  }
  return out;
}

function paeth(left, up, corner) {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

function nearest(palette, colour) {
  let best = 0;
  let least = Infinity;
  for (const [place, one] of palette.entries()) {
    const r = (one >> 16) - (colour >> 16);
    const g = ((one >> 8) & 255) - ((colour >> 8) & 255);
    const b = (one & 255) - (colour & 255);
    const distance = r * r + g * g + b * b;
    if (distance < least) [best, least] = [place, distance];
  }
  return best;
}

function chunk(type, content) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
