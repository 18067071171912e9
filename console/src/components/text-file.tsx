// A CSV file that is chosen instead of pasting its rows.
import { Button, CloseButton, FileButton, Group, Paper, Text } from '@mantine/core';
import { FileUp } from 'lucide-react';
import { useState } from 'react';
import { ENCODING_NAMES, type TextFileEncoding } from '../../../src/platform/csv/encoding-rules.ts';
import { useFormat } from '../i18n/format.ts';
import { defineWords, useWords } from '../i18n/words.ts';
import { readTextFile } from './read-text-file.ts';

const KILO = 1_000;

const words = defineWords({
  en: {
    choose: 'Choose a file',
    other: 'Choose another file',
    remove: 'Remove the file',
    unreadable: 'The file cannot be read as text. Save it as “CSV UTF-8”.',
  },
  ko: {
    choose: '파일 선택',
    other: '다른 파일 선택',
    remove: '파일 제거',
    unreadable: '파일을 텍스트로 읽을 수 없습니다. “CSV UTF-8” 형식으로 저장해 주세요.',
  },
});

export interface TextFile {
  name: string;
  bytes: number;
  text: string;
  encoding: TextFileEncoding;
}

/** Reads the chosen file. `fault`: the message if the file cannot be used. */
export function useTextFile(
  onRead: (file: TextFile) => void,
  limit?: { bytes: number; text: (megabytes: string) => string },
) {
  const w = useWords(words);
  const format = useFormat();
  const [fault, setFault] = useState<string | null>(null);
  const choose = async (file: File | null) => {
    if (file === null) return;
    setFault(null);
    if (limit && file.size > limit.bytes)
      return setFault(limit.text(format.integer(limit.bytes / KILO / KILO)));
    const read = await readTextFile(file);
    if (read === null) setFault(w.unreadable);
    else onRead({ name: file.name, bytes: file.size, ...read });
  };
  return { fault, clearFault: () => setFault(null), choose: (file: File | null) => void choose(file) };
}

/** The encoding is a guess unless it is UTF-8. */
const assumed = ({ encoding }: TextFile): string =>
  encoding === 'utf-8' ? '' : `, ${ENCODING_NAMES[encoding]}`;

interface FileChoiceProps {
  onChoose: (file: File | null) => void;
  file?: TextFile | null;
  onRemove?: () => void;
}

export function FileChoice({ onChoose, file = null, onRemove }: FileChoiceProps) {
  const w = useWords(words);
  const format = useFormat();
  return (
    <Group gap="sm">
      <FileButton accept=".csv,.tsv,.txt,text/csv,text/plain" onChange={onChoose}>
        {(props) => (
          <Button variant="default" leftSection={<FileUp size={16} aria-hidden />} {...props}>
            {file === null ? w.choose : w.other}
          </Button>
        )}
      </FileButton>
      {file !== null && (
        <Paper px="sm" py={4}>
          <Group gap="xs">
            <Text size="sm">{`${file.name} (${format.integer(Math.ceil(file.bytes / KILO))} kB${assumed(file)})`}</Text>
            <CloseButton size="sm" aria-label={w.remove} onClick={onRemove} />
          </Group>
        </Paper>
      )}
    </Group>
  );
}
