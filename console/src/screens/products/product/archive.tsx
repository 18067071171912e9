import { Button } from '@mantine/core';
import { Archive } from 'lucide-react';
import { apiPath } from '../../../api/address.ts';
import { ApiError } from '../../../api/error.ts';
import { useSend } from '../../../api/query.ts';
import { patch } from '../../../api/request.ts';
import type { Product } from '../../../api/types.ts';
import { confirm } from '../../../components/index.ts';
import { useWords } from '../../../i18n/words.ts';
import { words } from './words.ts';

const USED_SHOWN_MAX = 5;

/** The items that prevent archiving. */
function usedBy(error: unknown): string[] | null {
  if (!(error instanceof ApiError) || error.code !== 'product_in_use') return null;
  const { variants } = error.details as { variants: { variant_code: string }[] };
  return variants.map(({ variant_code }) => variant_code);
}

/** Archives a product with all its items, or brings it back. */
export function ArchiveProduct({ product }: { product: Product }) {
  const w = useWords(words);
  const { code, archived } = product;
  const save = useSend((next: boolean) => patch(apiPath('/products/{code}', { code }), { archived: next }), {
    refresh: ['/products', '/variants', '/stock', '/allocations'],
    failure: 'inline',
    done: (now) => (now.archived ? w.archivedNow : w.isBack),
  });
  const archive = async () => {
    const question = { title: w.archiveTitle, text: w.archiveText, confirm: w.archive };
    if (!(await confirm(question))) return;
    save.mutate(true, { onError: (error) => void told(error) });
  };
  const told = (error: unknown) => {
    const used = usedBy(error);
    const text =
      used === null
        ? String(error instanceof Error ? error.message : error)
        : w.inUse(used.slice(0, USED_SHOWN_MAX).join(', '), used.length > USED_SHOWN_MAX);
    return confirm({ title: w.cannotArchive, text, confirm: w.understood });
  };
  return (
    <Button
      variant="default"
      leftSection={<Archive size={15} aria-hidden />}
      loading={save.isPending}
      onClick={() => (archived ? save.mutate(false) : void archive())}
    >
      {archived ? w.bringBack : w.archive}
    </Button>
  );
}
