import { useRef, useState } from 'preact/hooks'
import type { OfferBody, SmartlinkBody } from '../../api.gen.ts'
import { asError, call, type ApiError } from '../../core/call.ts'
import { useNetworks, useOffers, useSources } from '../../core/choices.ts'
import { useFile } from '../../core/csv.ts'
import { sentence } from '../../core/errors.ts'
import { fields, keyOf, rowsOf, type Kind, type Known, type Point, type Result, type Row } from '../../core/import.ts'
import { me } from '../../core/me.ts'
import { use, useAll } from '../../core/query.ts'
import { toastAndReload } from '../../core/toast.ts'
import { w } from '../../text/import.ts'

type Run = { text: string; mapped: string; kind: Kind; rows: Row[]; done: number; ended: boolean }

// useKnown loads the records against which a file is checked: existing records, and records that the file may name.
export function useKnown(kind: Kind): { known?: Known; room: number | null; error?: ApiError; again: () => void } {
  const offers = useOffers(kind === 'offers'),
    networks = useNetworks(kind === 'offers'),
    sources = useSources(kind === 'links')
  const links = useAll('GET /short-links', kind === 'links' ? {} : null),
    domains = use('GET /domains', kind === 'links' ? { limit: 500 } : null),
    usage = use('GET /plan/usage', {})
  const ownDomains = domains.data?.rows ?? [] // a smartlink needs a domain of the account
  const limit = kind === 'offers' ? usage.data?.detail.plan.offers.limit : usage.data?.allowances.smartlinks,
    have = kind === 'offers' ? usage.data?.detail.plan.offers.used : links.rows?.length
  const ready = usage.data && (kind === 'offers' ? offers && networks : links.rows && links.whole && domains.data && sources)
  const known = ready
    ? {
        offers: offers ?? [],
        links: links.rows ?? [],
        networks: networks ?? [],
        sources: sources ?? [],
        domains: ownDomains.map(d => ({ id: d.id, domain: d.domain })),
        domain: (ownDomains.find(d => d.is_default) ?? ownDomains[0])?.id ?? '',
        currency: me.value!.account.currency,
      }
    : undefined
  return {
    known,
    room: limit == null || have == null ? null : Math.max(0, Number(limit) - have),
    error: usage.error ?? links.error ?? domains.error,
    again: () => {
      usage.again()
      links.again()
      domains.again()
    },
  }
}

const pause = (s: number) => new Promise(ok => setTimeout(ok, s * 1000))

async function send(kind: Kind, row: Row): Promise<Row> {
  const key = keyOf(kind, row.body!)
  for (;;) {
    try {
      const record =
        kind === 'offers'
          ? await call('POST /offers', { body: row.body as OfferBody, key })
          : await call('POST /short-links', { body: row.body as SmartlinkBody, key })
      return { ...row, result: 'made', id: record.id }
    } catch (e) {
      const error = asError(e)
      if (error.code === 'rate_limited') {
        await pause(Math.max(1, error.wait))
        continue
      }
      if (error.code === 'duplicate_name' || error.code === 'duplicate_slug')
        return { ...row, result: 'exists', code: error.code, text: sentence(error) }
      return { ...row, result: 'refused', code: error.code, text: w.codes[error.code] ?? sentence(error) }
    }
  }
}

// useImportFile holds a file, and the field that each of its columns is read as.
export function useImportFile(kind: Kind) {
  const file = useFile(kind),
    [ownColumns, setOwnColumns] = useState<Record<number, string>>({}),
    [tooLarge, setTooLarge] = useState(false),
    [point, setPoint] = useState<Point>(''),
    head = file.head,
    at = (head?.header ?? []).map((c, i) => (ownColumns[i] !== undefined ? ownColumns[i] || undefined : c.column || undefined))
  const begin = () => {
    setOwnColumns({})
    setTooLarge(false)
    setPoint('')
  }
  return {
    text: file.text,
    error: file.error,
    again: file.again,
    reading: file.reading,
    head,
    at,
    missing: head ? fields[kind].filter(f => f.required && !at.includes(f.name)) : [],
    tooLarge,
    setTooLarge,
    point,
    setPoint,
    set: (v: string) => {
      file.setText(v)
      begin()
    },
    readFile: (f: File) => {
      begin()
      void file.readFile(f)
    },
    setColumn: (i: number, name: string) => setOwnColumns({ ...ownColumns, [i]: name }),
  }
}
export type ImportFile = ReturnType<typeof useImportFile>

// useRun checks the rows of a file, and then creates their records. It stops when the person says so, or when the account has as many
// records as its plan allows.
export function useRun(kind: Kind, file: ImportFile, known: Known | undefined) {
  const [run, setRun] = useState<Run>(),
    stopped = useRef(false),
    mapped = JSON.stringify([file.at, file.point]),
    shown = run?.kind === kind ? run : undefined,
    countOf = (result: Result) => shown?.rows.filter(r => r.result === result).length ?? 0
  const dry = () => {
    if (!file.head || !known) return
    stopped.current = false
    setRun({
      kind,
      text: file.text,
      mapped,
      done: 0,
      ended: true,
      rows: rowsOf(kind, file.head.records, file.at, known, (code, of) => w.why(code, of), file.point),
    })
  }
  const apply = async () => {
    const rows = [...shown!.rows],
      todo = rows.map((r, i) => (r.result === 'new' ? i : -1)).filter(i => i >= 0)
    const total = todo.length
    stopped.current = false
    const show = (ended: boolean) => setRun({ ...shown!, rows: [...rows], done: total - todo.length, ended })
    show(false)
    let full: Row | undefined
    await Promise.all(
      [0, 1, 2].map(async () => {
        for (let i = todo.shift(); i !== undefined; i = todo.shift()) {
          rows[i] =
            full || stopped.current
              ? { ...rows[i]!, result: 'left', code: full?.code ?? '', text: full?.text ?? w.stopped }
              : await send(kind, rows[i]!)
          if (rows[i]!.code === 'plan_limit') full = rows[i]
          show(false)
        }
      }),
    )
    show(true)
    toastAndReload(w.done(rows.filter(r => r.result === 'made').length), kind === 'offers' ? 'offers' : 'short-links', 'plan')
  }
  return {
    shown,
    stale: !!shown && (shown.text !== file.text || shown.mapped !== mapped),
    busy: !!shown && !shown.ended,
    fresh: countOf('new'),
    made: countOf('made'),
    dry,
    apply,
    stop: () => {
      stopped.current = true
    },
    clear: () => {
      setRun(undefined)
      file.set('')
    },
  }
}
