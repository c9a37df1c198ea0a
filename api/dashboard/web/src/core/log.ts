// A log, page by page: the rows loaded so far, and more of them while a person scrolls.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Calls } from '../api.gen.ts'
import { asError, type ApiError, type Row } from './call.ts'
import { useOnline } from './online.ts'
import { request, useStamp } from './query.ts'

type Identified = { id: string } | { click_id: string }
type Logs = {
  [R in Row]: Calls[R]['answer'] extends { range: unknown; rows: Identified[] }
    ? Calls[R]['query'] extends { offset?: unknown }
      ? R
      : never
    : never
}[Row]
export type LogRow<R extends Logs> = Calls[R]['answer']['rows'][number]
export const idOf = (r: Identified) => ('id' in r ? r.id : r.click_id)

export const isClickID = (text: string) => /^[0-9A-Za-z]{22}$/.test(text)

const page = 200, // rows of a request
  most = 5000 // rows that are kept

// useLog loads a log page by page. `every` is the number of seconds after which it loads the newest rows again, while the browser's
// tab is visible.
export function useLog<R extends Logs>(row: R, query: Calls[R]['query'], every = 0) {
  type One = LogRow<R>
  const key = JSON.stringify(query),
    [state, setState] = useState<{ key: string; rows?: One[]; head?: unknown; end?: boolean; error?: ApiError }>({ key: '' }),
    busy = useRef(false),
    [reloads, setReloads] = useState(0),
    stamp = useStamp(row),
    again = () => setReloads(n => n + 1)
  useOnline(again)
  useEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const first = () =>
      request(row, { ...query, limit: page }, stop.signal).then(
        ({ rows, ...head }) =>
          setState(now => {
            const older = now.key === key && rows.length === page ? after(now.rows ?? [], rows) : []
            return { key, head, rows: [...(rows as One[]), ...older].slice(0, most), end: older.length ? now.end : rows.length < page }
          }),
        e => {
          if (!stop.signal.aborted) setState(now => ({ key, rows: now.key === key ? now.rows : undefined, error: asError(e) }))
        },
      )
    const loop = () => {
      if (every && !stop.signal.aborted)
        timer = setTimeout(() => void (document.hidden ? Promise.resolve() : first()).then(loop), every * 1000)
    }
    void first().then(loop)
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- key stands for the query, and a caller always passes the same route as row
  }, [key, reloads, every, stamp])
  const more = () => {
    const rows = state.rows
    if (state.key !== key || !rows || state.end || busy.current || rows.length >= most) return
    busy.current = true
    request(row, { ...query, limit: page, offset: rows.length })
      .then(
        got =>
          setState(now =>
            now.key !== key
              ? now
              : {
                  ...now,
                  rows: [...now.rows!, ...without(got.rows as One[], now.rows!)],
                  end: got.rows.length < page,
                },
          ),
        () => undefined,
      )
      .finally(() => {
        busy.current = false
      })
  }
  const isCurrent = state.key === key
  return {
    rows: isCurrent ? state.rows : undefined,
    head: (isCurrent ? state.head : undefined) as Omit<Calls[R]['answer'], 'rows'> | undefined,
    error: isCurrent ? state.error : undefined,
    end: isCurrent && !!state.end,
    more,
    again,
  }
}

function without<R extends Identified>(rows: R[], others: Identified[]) {
  const ids = new Set(others.map(idOf))
  return rows.filter(r => !ids.has(idOf(r)))
}

// `after` returns the loaded rows that come after a new first page.
const after = <R extends Identified>(rows: R[], first: Identified[]) =>
  without(rows.slice(rows.findIndex(r => idOf(r) === idOf(first.at(-1)!)) + 1), first)

const tones: Record<string, string> = { approved: 'good', pending: 'warn', rejected: 'bad', chargeback: 'bad' }
export const tone = (status: string) => tones[status] ?? ''
