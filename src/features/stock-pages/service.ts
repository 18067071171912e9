import type { Core } from '../../core/assembly/core.ts';
import type { FeatureService } from '../../core/assembly/feature.ts';
import { StockPages } from './pages.ts';
import { listParts } from './parts.ts';

export function start(core: Core): FeatureService {
  core.hooks.listParts.take(listParts(core, new StockPages(core.reads.long, core.stockLists)));
  return {};
}
