import { useNavigate } from 'react-router';
import { getPage, path } from '../api/request.ts';

/** Opens the item with exactly this barcode. A scanner types it into the search field and presses Enter. */
export function useScan(): (text: string) => void {
  const navigate = useNavigate();
  const open = async (barcode: string): Promise<void> => {
    for (const archived of [false, true]) {
      const { data } = await getPage('/variants', { search: barcode, archived, limit: 100 });
      const found = data.find((variant) => variant.barcode === barcode);
      if (found) return void navigate(path`/stock/${found.code}`);
    }
  };
  return (text) => {
    // Errors and empty results are shown by the list itself.
    if (text !== '') void open(text).catch(() => {});
  };
}
