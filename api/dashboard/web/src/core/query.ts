// use loads an answer and caches it. A screen that is opened again shows the cached answer immediately, and reloads it in the
// background.
import { useEffect, useState } from 'preact/hooks'
import { signal } from '@preact/signals'
import type { Calls } from '../api.gen.ts'
import { ApiError, asError, call, signedOut, type Row } from './call.ts'
import { offline, useOnline } from './online.ts'
import { sofar } from './window.ts'

const answers = new Map<string, unknown>()
const maxAnswers = 200 // answers in the cache

function cache(key: string, data: unknown) {
  answers.delete(key)
  answers.set(key, data)
  for (const old of answers.keys()) {
    if (answers.size <= maxAnswers) break
    answers.delete(old)
  }
}

// epoch changes when another account or another person is shown.
export const epoch = signal(0)
// evictAnswers removes all cached answers, for another account or another person.
export function evictAnswers() {
  answers.clear()
  epoch.value++
}

// In this file, the parameter row is a route of the API, such as "GET /campaigns/{id}".
// stamps holds, for each name of nameOf, the number of writes that have changed the answers of routes with this name.
const stamps = signal<Record<string, number>>({})
// useStamp returns a number that changes whenever a write has changed the answer of a route.
export const useStamp = (row: string) => stamps.value[nameOf(row)]
// nameOf returns the first part of a route's path: "campaigns" for "GET /campaigns/{id}".
const nameOf = (row: string) => row.split(/[ /?{]/)[2] ?? ''

// touches reports that a write has changed the answers of routes with these names ("campaigns"). Their cached answers are dropped,
// and those on the screen are loaded again.
export function touches(...names: string[]) {
  for (const key of answers.keys()) if (names.includes(nameOf(key))) answers.delete(key)
  const next = { ...stamps.value }
  for (const name of names) next[name] = (next[name] ?? 0) + 1
  stamps.value = next
}

// busy is the number of requests under way, for the thin bar on top.
export const busy = signal(0)

export type Used<A> = { data: A | undefined; error: ApiError | undefined; loading: boolean; again: () => void }

type Path<R extends Row> = Calls[R]['path']
const keyOf = (row: string, query: unknown, path?: object) => row + JSON.stringify(query) + (path ? JSON.stringify(path) : '')

// timed replaces the comparison "previous" of a running window with an exact window that ends at the same time of day as now. It
// does so only when a request is sent, so that the cached query does not change every second.
function timed<Q>(query: Q): Q {
  const q = query as { compare?: string; from?: string; to?: string; tz?: string } | undefined
  if (q?.compare !== 'previous' || !q.from || !q.to || !q.tz) return query
  return { ...query, compare: sofar({ from: q.from, to: q.to, tz: q.tz }) }
}

export async function request<R extends Row>(
  row: R,
  query: Calls[R]['query'],
  signal?: AbortSignal,
  path?: Path<R>,
): Promise<Calls[R]['answer']> {
  busy.value++
  try {
    const data = await call(row, { query: timed(query), signal, path })
    cache(keyOf(row, query, path), data)
    return data
  } finally {
    busy.value--
  }
}

export const cachedAnswer = <R extends Row>(row: R, query: Calls[R]['query']) =>
  answers.get(keyOf(row, query)) as Calls[R]['answer'] | undefined

const retryAfter = 5 // seconds until the next try if the service did not answer

// useReload returns the function `again`, which reloads the answer of a route, and the causes that must reload it too.
function useReload(row: string) {
  const [reloads, setReloads] = useState(0),
    again = () => setReloads(n => n + 1)
  useOnline(again)
  return { again, causes: [reloads, epoch.value, stamps.value[nameOf(row)]] }
}

// use loads the answer of a route. `every` is the number of seconds after which it loads the answer again, while the page is
// visible. A null query loads nothing.
export function use<R extends Row>(row: R, query: Calls[R]['query'] | null, every = 0, path?: Path<R>): Used<Calls[R]['answer']> {
  const key = query === null ? '' : keyOf(row, query, path)
  const [state, setState] = useState<{ key: string; data?: Calls[R]['answer']; error?: ApiError }>({ key: '' })
  const { again, causes } = useReload(row),
    isSignedOut = signedOut.value
  useEffect(() => {
    if (query === null || isSignedOut) return
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const go = () =>
      request(row, query, stop.signal, path).then(
        data => {
          setState({ key, data })
          next()
        },
        e => {
          if (!stop.signal.aborted) {
            const error = asError(e)
            setState({ key, data: answers.get(key) as Calls[R]['answer'], error })
            next(every || (error.status === 0 && !offline.value ? retryAfter : 0))
          }
        },
      )
    const next = (seconds = every) => {
      if (seconds) timer = setTimeout(() => (document.hidden ? next(seconds) : void go()), seconds * 1000)
    }
    void go()
    const onVisibility = () => {
      if (!document.hidden) {
        clearTimeout(timer)
        void go()
      }
    }
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      stop.abort()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisibility)
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- key holds the row, the query and the path
  }, [key, every, isSignedOut, ...causes])
  const data = (state.key === key ? state.data : undefined) ?? (answers.get(key) as Calls[R]['answer'] | undefined)
  return { data, error: state.key === key ? state.error : undefined, loading: data === undefined, again }
}

type Pages<R> = { rows: R[] | undefined; whole: boolean; error: ApiError | undefined; again: () => void }
type Listing = { [R in Row]: Calls[R]['answer'] extends { rows: unknown[]; next_cursor: string | null } ? R : never }[Row]
const mostPages = 20

// useAll loads up to 20 pages of a list, one after the other. It returns the rows of the first page as soon as they arrive, and
// later the rows of all loaded pages. `whole` is false if the list has more rows than these.
export function useAll<R extends Listing>(row: R, query: Calls[R]['query'] | null): Pages<Calls[R]['answer']['rows'][number]> {
  type One = Calls[R]['answer']['rows'][number]
  const key = query === null ? '' : keyOf(row, query)
  const [state, setState] = useState<{ key: string; rows?: One[]; whole?: boolean; error?: ApiError }>({ key: '' })
  const { again, causes } = useReload(row),
    isSignedOut = signedOut.value
  useEffect(() => {
    if (query === null || isSignedOut) return
    const stop = new AbortController()
    const load = async () => {
      let rows: One[] = [],
        cursor: string | null = null
      for (let i = 0; i < mostPages; i++) {
        const page: Calls[R]['answer'] = await request(row, cursor ? { ...query, cursor } : query, stop.signal)
        rows = [...rows, ...page.rows]
        cursor = page.next_cursor
        if (i === 0 || !cursor) setState({ key, rows, whole: !cursor })
        if (!cursor) return
      }
      setState({ key, rows, whole: false })
    }
    load().catch(e => {
      if (!stop.signal.aborted) setState(now => ({ ...now, key, error: asError(e) }))
    })
    return () => stop.abort()
    // eslint-disable-next-line react-hooks/exhaustive-deps -- key holds the row and the query
  }, [key, isSignedOut, ...causes])
  const first = state.key === key ? state.rows : undefined
  const rows = first ?? ((answers.get(key) as Calls[R]['answer'] | undefined)?.rows as One[] | undefined)
  return { rows, whole: state.whole ?? true, error: state.key === key ? state.error : undefined, again }
}
