// Reads and changes through TanStack Query. A query key is the API path and its query, so that a change can name
// stale data by a path prefix.
import {
  keepPreviousData,
  QueryClient,
  useInfiniteQuery,
  useMutation,
  useQueries,
  useQuery,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { toastBad, toastGood, toastUndo } from '../components/toast.tsx';
import { wordsNow } from '../i18n/words.ts';
import type { Data, QueryOf, Row, To } from './address.ts';
import { ApiError, isGone, messageOf } from './error.ts';
import { get, getPage } from './request.ts';
import { words } from './words.ts';

const RETRIES_MAX = 2;
const STALE_MS = 5_000;
const PAGE_ROWS = 100;
/** The most that the service sends at once. */
const ROWS_MAX = 500;

/** Repeating the request does not change a 4xx answer. */
const isFinal = (error: Error): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500;

const isOutdated = (error: Error): boolean =>
  isGone(error) || (error instanceof ApiError && error.status === 409);

interface Asked {
  state: { data: unknown; error: Error | null };
}

/**
 * A refused query is not repeated by a timer or on window focus: the page would briefly show its loading state and lose
 * the input of a form that is shown because of the refusal (such as a first stock record). Nor is a query whose subject
 * was removed after it was shown.
 */
const isRefused = ({ state: { data, error } }: Asked): boolean =>
  error !== null && (isGone(error) || (data === undefined && isFinal(error)));

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_MS,
      refetchOnWindowFocus: (query) => !isRefused(query),
      refetchOnReconnect: (query) => !isRefused(query),
      networkMode: 'always', // offline is reported as an error instead of waiting
      retry: (failures, error) => !isFinal(error) && failures < RETRIES_MAX,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

export interface ReadOptions {
  /** Polling interval. */
  everyMs?: number;
  /** false: do not send the request yet. */
  enabled?: boolean;
  /** Show the rows of the previous search until the new rows arrive. Default: true. */
  keep?: boolean;
}

const settings = ({ everyMs, enabled, keep = true }: ReadOptions) => ({
  ...(everyMs === undefined
    ? {}
    : { refetchInterval: (query: Asked) => (isRefused(query) ? (false as const) : everyMs) }),
  ...(enabled === undefined ? {} : { enabled }),
  ...(keep ? { placeholderData: keepPreviousData } : {}),
});

/** Never called: a query without a path is disabled. */
const NO_PATH = (): never => {
  throw new RangeError('there is no path');
};

/** Reads one resource: `useGet(apiPath('/channels/{id}', { id }))`. A null path sends no request. */
export function useGet<A extends To<'get'>>(
  to: A | null,
  query?: QueryOf<A>,
  options: ReadOptions = {},
): UseQueryResult<Data<A, 'get'>> {
  return useQuery<Data<A, 'get'>>({
    queryKey: [to ?? '', query ?? {}],
    queryFn: ({ signal }) => get(to ?? NO_PATH(), query, signal),
    ...settings({ keep: false, ...options, ...(to === null ? { enabled: false } : {}) }),
  });
}

/** The list that DataTable takes: the rows so far, and how to load more. */
export interface List<T> {
  rows: T[];
  isLoading: boolean;
  /** The rows are still those of the previous search. */
  isStale: boolean;
  error: Error | null;
  retry: () => void;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => void;
}

/** Reads a list page by page with `next_cursor`: `useList('/orders', { status, channel_id })`. */
export function useList<A extends To<'get'>>(
  to: A | null,
  query?: QueryOf<A>,
  options: ReadOptions & { limit?: number } = {},
): List<Row<A>> {
  const { limit = PAGE_ROWS, ...rest } = options;
  const result = useInfiniteQuery({
    queryKey: [to ?? '', { ...query, limit }],
    queryFn: ({ pageParam, signal }) =>
      getRows(to ?? NO_PATH(), { ...query, limit, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    ...settings({ ...rest, ...(to === null ? { enabled: false } : {}) }),
  });
  const {
    data,
    error,
    hasNextPage,
    isFetchingNextPage,
    isPending,
    isPlaceholderData,
    fetchNextPage,
    refetch,
  } = result;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const loadMore = useCallback(() => void fetchNextPage({ cancelRefetch: false }), [fetchNextPage]);
  const retry = useCallback(() => void refetch(), [refetch]);
  return {
    rows,
    isLoading: isPending && to !== null,
    isStale: isPlaceholderData,
    error,
    retry,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore,
  };
}

interface ListPage<T> {
  data: T[];
  next_cursor: string | null;
}

/** The answer is a list, but the compiler cannot infer that while the path is generic. */
const getRows = <A extends To<'get'>>(to: A, query: object, signal: AbortSignal): Promise<ListPage<Row<A>>> =>
  getPage(to, query as QueryOf<A>, signal) as Promise<unknown> as Promise<ListPage<Row<A>>>;

/** All rows of a short list (channels, couriers, …), page after page. */
export function useAll<A extends To<'get'>>(
  to: A | null,
  query?: QueryOf<A>,
  options: ReadOptions = {},
): UseQueryResult<Row<A>[]> {
  return useQuery<Row<A>[]>({
    queryKey: [to ?? '', { ...query, all: true }],
    queryFn: async ({ signal }) => {
      const rows: Row<A>[] = [];
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page: ListPage<Row<A>> = await getRows(
          to ?? NO_PATH(),
          { ...query, limit: ROWS_MAX, cursor },
          signal,
        );
        rows.push(...page.data);
        cursor = page.next_cursor;
      }
      return rows;
    },
    ...settings({ keep: false, ...options, ...(to === null ? { enabled: false } : {}) }),
  });
}

/** The rows of several queries of one list, of which each has at most one page. */
export function useEach<A extends To<'get'>>(to: A, queries: readonly QueryOf<A>[]): Row<A>[] {
  return useQueries({
    queries: queries.map((query) => ({
      queryKey: [to, { ...query, limit: ROWS_MAX }],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await getRows(to, { ...query, limit: ROWS_MAX, cursor: undefined }, signal)).data,
    })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
}

/** `refresh('/stock', '/allocations')`: reloads all data read from paths with these prefixes. */
export const refresh = (...beginnings: string[]): Promise<void> =>
  queryClient.invalidateQueries({
    predicate: ({ queryKey: [to] }) =>
      typeof to === 'string' && beginnings.some((beginning) => to.startsWith(beginning)),
  });

/** Puts the answer of a change into the cache of this path, so that it is shown before the path is read again. */
export const showAnswer = <A extends To<'get'>>(to: A, answer: Data<A, 'get'>): void =>
  void queryClient.setQueryData([to, {}], answer);

export interface SendOptions<Answer, Input> {
  /** Prefixes of the paths that this change makes stale. */
  refresh?: string[];
  /** Text of the toast after success. */
  done?: string | ((answer: Answer, input: Input) => string);
  /** Undoes the change: offered as a button for one minute. Stale data is read again. null: nothing to undo. */
  undo?: (answer: Answer, input: Input) => (() => Promise<unknown>) | null;
  /** A new change of the same subject replaces the message about the last one, whose Undo no longer fits. */
  subject?: string;
  /** `toast` (default): a failure is shown in a toast; `inline`: the form shows `error` itself. */
  failure?: 'toast' | 'inline';
  onDone?: (answer: Answer, input: Input) => void;
}

/** Sends a change: `const save = useSend((form: Form) => put(path`/…`, form), { refresh: ['/…'], done: w.saved })`. */
export function useSend<Answer, Input = void>(
  send: (input: Input) => Promise<Answer>,
  options: SendOptions<Answer, Input> = {},
): UseMutationResult<Answer, Error, Input> {
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const inFlight = useRef(new Set<string | undefined>());
  const sending = useMutation<Answer, Error, Input>({
    mutationFn: send,
    onSuccess: (answer, input) => {
      if (options.refresh) void refresh(...options.refresh);
      const { done } = options;
      if (done !== undefined) {
        const text = typeof done === 'string' ? done : done(answer, input);
        const undo = options.undo?.(answer, input) ?? null;
        if (undo === null) toastGood(text);
        else toastUndo(text, takingBack(undo, options.refresh ?? []), options.subject);
      }
      options.onDone?.(answer, input);
    },
    onError: (error) => {
      // What is shown is out of date: another user may have changed or removed it.
      if (isOutdated(error) && options.refresh) void refresh(...options.refresh);
      const text = isGone(error) ? wordsNow(words).gone(error.message) : messageOf(error);
      // A form that was closed before the answer cannot show it.
      if (options.failure !== 'inline' || !isShown.current) toastBad(text);
    },
    onSettled: (_answer, _error, input) => void inFlight.current.delete(JSON.stringify(input)),
  });
  const { mutate } = sending;
  /** Ignores the same change while it is in flight: a double click sends it once. */
  const mutateOnce: typeof mutate = (...args) => {
    const text = JSON.stringify(args[0]);
    if (inFlight.current.has(text)) return;
    inFlight.current.add(text);
    mutate(...args);
  };
  return { ...sending, mutate: mutateOnce };
}

export const takingBack = (undo: () => Promise<unknown>, stale: readonly string[]) => async () => {
  await undo();
  await refresh(...stale);
};
