// The region of a postal address: country, province, city or district. Only names that are listed here, and units of
// Korean and Japanese addresses beside them, are recognized; everything else could be a street, a building or a person.

const KOREAN =
  '서울|부산|대구|인천|광주|대전|울산|세종|경기|강원|충북|충남|전북|전남|경북|경남|제주|충청북도|충청남도|전라북도|전라남도|경상북도|경상남도';
const KOREAN_ENDINGS = '특별자치시|특별자치도|특별시|광역시|시|도';
const JAPANESE =
  '北海道|東京都|大阪府|京都府|青森県|岩手県|宮城県|秋田県|山形県|福島県|茨城県|栃木県|群馬県|埼玉県|千葉県|神奈川県|新潟県|富山県|石川県|福井県|' +
  '山梨県|長野県|岐阜県|静岡県|愛知県|三重県|滋賀県|兵庫県|奈良県|和歌山県|鳥取県|島根県|岡山県|広島県|山口県|徳島県|香川県|愛媛県|高知県|福岡県|' +
  '佐賀県|長崎県|熊本県|大分県|宮崎県|鹿児島県|沖縄県';

/** `서울특별시 강남구`, `서울특별시강남구`, `경기도 성남시 분당구`, with or without country and postal code. */
const HANGUL = new RegExp(
  String.raw`^(?:대한민국\s*)?(?:\(?\d[\d-]*\)?\s*)?((?:${KOREAN})(?:${KOREAN_ENDINGS})?` +
    String.raw`(?=\s|[가-힣]+[시군구]|$)(?:\s+[가-힣]{1,4}[시군구](?=\s|$)){0,2})`,
  'u',
);
/** `성남시 분당구 …`: a city without its province. */
const HANGUL_CITY = /^((?:[가-힣]{2,4}시)(?=\s)(?:\s+[가-힣]{1,4}구(?=\s|$))?)/u;
/** `東京都千代田区`, with or without country and postal code. */
const KANJI = new RegExp(
  String.raw`^(?:日本国?\s*)?(?:〒?\s*\d{3}-?\d{4}\s*)?((?:${JAPANESE})(?:\s*[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ヶ]{1,5}?[市区])?)`,
  'u',
);

const LATIN = new Set(
  (
    'seoul busan daegu incheon gwangju daejeon ulsan sejong gyeonggi gangwon jeju hokkaido tokyo osaka kyoto aomori iwate ' +
    'miyagi akita yamagata fukushima ibaraki tochigi gunma saitama chiba kanagawa niigata toyama ishikawa fukui yamanashi ' +
    'nagano gifu shizuoka aichi mie shiga hyogo nara wakayama tottori shimane okayama hiroshima yamaguchi tokushima kagawa ' +
    'ehime kochi fukuoka saga nagasaki kumamoto oita miyazaki kagoshima okinawa'
  ).split(' '),
);
const UNIT = /^([a-z]+)-(?:do|si|gun|gu|ku|shi|ken|fu|to)$/;

type Kind = 'region' | 'unit' | null;

/** A word is only compared with regions: a country may be a part of a street's name, such as Jordan Street. */
function kindOf(part: string, isWord: boolean): Kind {
  const text = part.toLowerCase();
  const [, stem] = UNIT.exec(text) ?? [];
  if (LATIN.has(stem ?? text) || (!isWord && countries().has(text))) return 'region';
  return stem === undefined ? null : 'unit';
}

let countryNames: ReadonlySet<string> | null = null;

function countries(): ReadonlySet<string> {
  if (countryNames) return countryNames;
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  const known = codes.flatMap((code) => names.of(code)?.toLowerCase() ?? []);
  countryNames = new Set([...known, 'korea', 'republic of korea', 'usa', 'uk']);
  return countryNames;
}

/** What may be shown of an address: the region before and after the part that is hidden. */
interface Region {
  before: string;
  after: string;
  separator: ' ' | ', ';
}

/** `06236`, `100-0005` at the end of a part. */
const POSTAL_CODE = /\s+\d[\d-]{4,}$/;

export function regionOf(address: string): Region {
  const text = address.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
  const [, shown] = HANGUL.exec(text) ?? HANGUL_CITY.exec(text) ?? KANJI.exec(text) ?? [];
  if (shown !== undefined) return { before: shown, after: '', separator: ' ' };
  const parts = text.split(/\s*[,，、]\s*/u);
  return parts.length > 1
    ? endsOf(
        parts.map((part) => part.replace(POSTAL_CODE, '')),
        ', ',
      )
    : endsOf(text.split(' '), ' ');
}

/** The parts at the beginning and at the end that are regions, or units beside a region. Single words say too little. */
function endsOf(parts: readonly string[], separator: Region['separator']): Region {
  const isWord = separator === ' ';
  const kinds = parts.map((part) => kindOf(part, isWord));
  const leading = kinds.findIndex((kind) => kind === null);
  const trailing = kinds.findLastIndex((kind) => kind === null);
  const shown = (from: number, to: number): string =>
    kinds.slice(from, to).includes('region') && to - from >= (isWord ? 2 : 1)
      ? parts.slice(from, to).join(separator)
      : '';
  if (leading === -1) return { before: shown(0, parts.length), after: '', separator };
  return { before: shown(0, leading), after: shown(trailing + 1, parts.length), separator };
}
