// A log, page by page: the rows loaded so far, and more of them while a person scrolls.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Calls } from '../api.gen.ts'
import { asError, type ApiError, type Row } from './call.ts'
import { ask, useStamp } from './query.ts'

type Logs = {
  [R in Row]: Calls[R]['answer'] extends { range: unknown; rows: { id: string }[] }
    ? Calls[R]['query'] extends { offset?: unknown }
      ? R
      : never
    : never
}[Row]
const page = 200,
  most = 5000 // rows of a request, rows that are kept

// useLog loads a log page by page. every is the number of seconds after which it loads the newest rows again, while the page is
// visible. 0 means never.
export function useLog<R extends Logs>(row: R, query: Calls[R]['query'], every = 0) {
  type One = Calls[R]['answer']['rows'][number]
  const key = JSON.stringify(query),
    [state, setState] = useState<{ key: string; rows?: One[]; end?: boolean; error?: ApiError }>({ key: '' }),
    busy = useRef(false),
    [reloads, setReloads] = useState(0),
    stamp = useStamp(row)
  useEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const first = () =>
      ask(row, { ...query, limit: page }, stop.signal).then(
        ({ rows }) =>
          setState(now => {
            const kept =
              now.key === key && now.rows && now.rows.length > page ? now.rows.slice(page).filter(o => !rows.some(r => r.id === o.id)) : []
            return { key, rows: [...(rows as One[]), ...kept], end: kept.length ? now.end : rows.length < page }
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
    // eslint-disable-next-line react-hooks/exhaustive-deps -- key holds the row and the query
  }, [key, reloads, every, stamp])
  const more = () => {
    const rows = state.rows
    if (state.key !== key || !rows || state.end || busy.current || rows.length >= most) return
    busy.current = true
    ask(row, { ...query, limit: page, offset: rows.length })
      .then(
        got =>
          setState(now =>
            now.key !== key
              ? now
              : {
                  ...now,
                  rows: [...now.rows!, ...(got.rows as One[]).filter(r => !now.rows!.some(o => o.id === r.id))],
                  end: got.rows.length < page,
                },
          ),
        () => undefined,
      )
      .finally(() => {
        busy.current = false
      })
  }
  const own = state.key === key
  return {
    rows: own ? state.rows : undefined,
    error: own ? state.error : undefined,
    end: own && !!state.end,
    more,
    again: () => setReloads(n => n + 1),
  }
}

// tones are the colours of a conversion's statuses.
const tones: Record<string, string> = { approved: 'good', pending: 'warn', rejected: 'bad', chargeback: 'bad' }
export const tone = (status: string) => tones[status] ?? ''
