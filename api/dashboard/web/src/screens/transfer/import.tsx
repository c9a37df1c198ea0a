import { useMemo, useRef, useState } from 'preact/hooks'
import type { OfferBody, SmartlinkBody } from '../../api.gen.ts'
import { asError, call, type ApiError } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { useNetworks, useOffers, useSources } from '../../core/choices.ts'
import { csvOf, headOf, recordsOf } from '../../core/csv.ts'
import { count } from '../../core/format.ts'
import { fields, keyOf, rowsOf, type Kind, type Known, type Result, type Row } from '../../core/import.ts'
import { me } from '../../core/me.ts'
import { touches, use, useAll } from '../../core/query.ts'
import { change, place } from '../../core/router.ts'
import { t } from '../../core/text.ts'
import { Source } from '../../parts/csv.tsx'
import { Seg, Select } from '../../parts/form.tsx'
import { Ask } from '../../parts/sheet.tsx'
import { Empty, Failed, Late } from '../../parts/state.tsx'
import { sentence } from '../../core/errors.ts'
import { Table, type Column } from '../../parts/table.tsx'
import { toast } from '../../core/toast.ts'
import { Two } from '../../parts/two.tsx'
import { w } from '../../text/import.ts'

const mostRows = 1000
const example = { offers: 'name,url,network,payout,country\n', links: 'slug,destination url,domain,name\n' } // columns as core/import.ts reads them
const tones: Record<Result, string> = { new: 'accent', made: 'good', exists: '', refused: 'bad', left: 'warn' }
type Run = { text: string; mapped: string; kind: Kind; rows: Row[]; done: number; ended: boolean }

// useKnown loads the records against which a file is checked: existing records, and records that the file may name.
function useKnown(kind: Kind): { known?: Known; room: number | null; error?: ApiError; again: () => void } {
  const offers = useOffers(kind === 'offers'),
    networks = useNetworks(kind === 'offers'),
    sources = useSources(kind === 'links')
  const links = useAll('GET /short-links', kind === 'links' ? {} : null),
    domains = use('GET /domains', kind === 'links' ? { limit: 500 } : null),
    usage = use('GET /plan/usage', {})
  const all = domains.data?.rows ?? [] // a smartlink needs a domain of the account
  const limit = kind === 'offers' ? usage.data?.detail.plan.offers.limit : usage.data?.allowances.smartlinks,
    have = kind === 'offers' ? usage.data?.detail.plan.offers.used : links.rows?.length
  const ready = usage.data && (kind === 'offers' ? offers && networks : links.rows && links.whole && domains.data && sources)
  const known = ready
    ? {
        offers: offers ?? [],
        links: links.rows ?? [],
        networks: networks ?? [],
        sources: sources ?? [],
        domains: all.map(d => ({ id: d.id, domain: d.domain })),
        domain: (all.find(d => d.is_default) ?? all[0])?.id ?? '',
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

// send creates the record of a row. If the service answers that there are too many calls, it waits for as long as the service asks.
async function send(kind: Kind, row: Row): Promise<Row> {
  const key = keyOf(kind, row.body!)
  for (;;) {
    try {
      const made =
        kind === 'offers'
          ? await call('POST /offers', { body: row.body as OfferBody, key })
          : await call('POST /short-links', { body: row.body as SmartlinkBody, key })
      return { ...row, result: 'made', id: made.id }
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

// Import creates offers or smartlinks from a file. It shows the result of each row before it creates anything.
export function Import() {
  const kind: Kind = place.value.query.get('kind') === 'links' ? 'links' : 'offers',
    of = fields[kind]
  const [text, setText] = useState(''),
    [ownColumns, setOwnColumns] = useState<Record<number, string>>({}),
    [tooLarge, setTooLarge] = useState(false),
    [run, setRun] = useState<Run>(),
    [confirming, setConfirming] = useState(false),
    stop = useRef(false)
  const { known, room, error, again } = useKnown(kind),
    head = useMemo(() => headOf(text, of), [text, of])
  const at = (head?.cells ?? []).map((c, i) => (ownColumns[i] !== undefined ? ownColumns[i] || undefined : c.column?.name)),
    mapped = JSON.stringify(at)
  const missing = head ? of.filter(f => f.required && !at.includes(f.name)) : [],
    shown = run?.kind === kind ? run : undefined,
    stale = !!shown && (shown.text !== text || shown.mapped !== mapped),
    busy = !!shown && !shown.ended
  const set = (v: string) => {
    setText(v)
    setOwnColumns({})
    setTooLarge(false)
  }
  const dry = () => {
    if (!head || !known) return
    stop.current = false
    setRun({
      kind,
      text,
      mapped,
      done: 0,
      ended: true,
      rows: rowsOf(kind, recordsOf(text, head.comma), at, known, (code, of) => w.why(code, of)),
    })
  }
  const fresh = shown?.rows.filter(r => r.result === 'new').length ?? 0,
    made = shown?.rows.filter(r => r.result === 'made').length ?? 0
  const apply = async () => {
    const rows = [...shown!.rows],
      todo = rows.map((r, i) => (r.result === 'new' ? i : -1)).filter(i => i >= 0)
    const all = todo.length
    stop.current = false
    const show = (ended: boolean) => setRun({ ...shown!, rows: [...rows], done: all - todo.length, ended })
    show(false)
    let full: Row | undefined
    await Promise.all(
      [0, 1, 2].map(async () => {
        for (let i = todo.shift(); i !== undefined; i = todo.shift()) {
          rows[i] =
            full || stop.current
              ? { ...rows[i]!, result: 'left', code: full?.code ?? '', text: full?.text ?? w.stopped }
              : await send(kind, rows[i]!)
          if (rows[i]!.code === 'plan_limit') full = rows[i]
          show(false)
        }
      }),
    )
    show(true)
    touches(kind === 'offers' ? 'offers' : 'short-links', 'plan')
    toast(w.done(rows.filter(r => r.result === 'made').length))
  }
  if (!canWrite())
    return (
      <section class="card">
        <Empty title={w.readOnly} />
      </section>
    )
  return (
    <div class="grid corrections imports">
      <section class="card">
        <header>
          <Seg
            label={w.kind}
            value={kind}
            options={(['offers', 'links'] as Kind[]).map(value => ({ value, label: w.kinds[value] }))}
            on={v => {
              if (!busy) {
                set('')
                change({ kind: v === 'links' ? v : null }, true)
              }
            }}
          />
          <span class="dim fine wide">{w.texts[kind]}</span>
        </header>
        <div class="part">
          <Source example={example[kind]} text={text} set={set} tooLarge={() => setTooLarge(true)} />
          {tooLarge && (
            <p class="bad" role="alert">
              {t.corrections.tooLarge}
            </p>
          )}
          {head && (
            <div class="columns">
              <div class="row">
                <b>{w.columns}</b>
                <span class="grow" />
                <span class="dim fine num">{t.corrections.rows(head.rows, count(head.rows))}</span>
              </div>
              <div class="maps">
                {head.cells.slice(0, 40).map((c, i) => (
                  <div key={i} class="map">
                    <span class="cut mono" title={c.cell}>
                      {c.cell || '—'}
                    </span>
                    <Select
                      label={w.mapOf(c.cell || String(i + 1))}
                      value={at[i] ?? ''}
                      options={[
                        { value: '', label: w.unread },
                        ...of
                          .filter(f => f.name === at[i] || !at.includes(f.name))
                          .map(f => ({ value: f.name, label: w.fields[f.name] ?? f.name })),
                      ]}
                      on={v => setOwnColumns({ ...ownColumns, [i]: v })}
                    />
                  </div>
                ))}
              </div>
              {missing.map(f => (
                <p key={f.name} class="bad" role="alert">
                  {t.corrections.missing(w.fields[f.name] ?? f.name)}
                </p>
              ))}
              {head.rows > mostRows && (
                <p class="bad" role="alert">
                  {w.tooMany(count(head.rows))}
                </p>
              )}
            </div>
          )}
          {error && !known && <Failed error={error} again={again} />}
          <div class="row wraps">
            <button
              type="button"
              class={'btn' + (shown && !stale ? '' : ' primary')}
              disabled={busy || !head || !known || missing.length > 0 || head.rows === 0 || head.rows > mostRows}
              onClick={dry}>
              {shown ? t.corrections.again : t.corrections.dry}
            </button>
            {shown && !stale && fresh > 0 && !busy && (
              <button type="button" class="btn primary" onClick={() => setConfirming(true)}>
                {w.apply(fresh)}
              </button>
            )}
            {busy && (
              <button
                type="button"
                class="btn"
                onClick={() => {
                  stop.current = true
                }}>
                {w.stop}
              </button>
            )}
            {shown && !busy && (
              <button
                type="button"
                class="btn quiet"
                onClick={() => {
                  setRun(undefined)
                  set('')
                }}>
                {t.corrections.clear}
              </button>
            )}
            {stale && !busy && (
              <span class="warn" role="status">
                {w.stale}
              </span>
            )}
          </div>
          {shown && !stale && fresh > 0 && room !== null && room < fresh && (
            <p class="warn" role="alert">
              {w.room(room, kind)}
            </p>
          )}
          {busy && (
            <div role="status">
              <span class="hidden">{w.running}</span>
              <div class="meter" aria-hidden="true">
                <i style={`width:${(shown.done / Math.max(1, shown.done + fresh)) * 100}%`} />
              </div>
            </div>
          )}
        </div>
      </section>
      {shown ? (
        <div class={stale ? 'faded' : ''}>
          <Outcomes of={shown.rows} applied={made > 0 || busy} kind={kind} />
        </div>
      ) : (
        text &&
        !known &&
        !error && (
          <section class="card">
            <Late>
              <div class="skeleton" style="height:120px;margin:14px" />
            </Late>
          </section>
        )
      )}
      {confirming && (
        <Ask
          title={w.askTitle}
          text={w.askText(fresh, kind)}
          go={w.go}
          close={() => setConfirming(false)}
          on={() => {
            void apply()
          }}
        />
      )}
    </div>
  )
}

const order: Result[] = ['new', 'made', 'exists', 'refused', 'left']

function Outcomes({ of: all, applied, kind }: { of: Row[]; applied: boolean; kind: Kind }) {
  const [filter, setFilter] = useState(''),
    rows = filter ? all.filter(r => r.result === filter) : all
  const file = useMemo(
    () =>
      'data:text/csv;charset=utf-8,' +
      encodeURIComponent(
        csvOf([
          [w.line, w.title, w.target, w.result, 'code', w.reason, 'id'],
          ...all.map(r => [String(r.line), r.title, r.detail, w.results[r.result], r.code, r.text, r.id ?? '']),
        ]),
      ),
    [all],
  )
  const columns: Column<Row>[] = [
    { name: 'line', label: w.line, left: true, phone: true, width: 56, cell: r => <span class="num dim">{r.line}</span> },
    {
      name: 'result',
      label: w.result,
      left: true,
      phone: true,
      width: 110,
      cell: r => <span class={'tag ' + tones[r.result]}>{w.results[r.result]}</span>,
    },
    {
      name: 'row',
      label: w.row,
      left: true,
      phone: true,
      kind: 'first',
      cell: r => (
        <>
          <span class={r.text ? 'wide' : ''}>
            <Two a={r.title} b={r.detail} />
          </span>
          {r.text && (
            <span class="phone whyrow">
              <Two a={r.title} b={r.text} />
            </span>
          )}
        </>
      ),
    },
    { name: 'why', label: w.reason, left: true, cell: r => (r.text ? <Two a={r.text} b={r.code} /> : <span class="dim">—</span>) },
  ]
  return (
    <section class="card report lists">
      <header>
        <h2>{t.corrections.outcome}</h2>
        <span class={'tag ' + (applied ? 'good' : 'accent')} role="status">
          {applied ? w.isApplied : t.corrections.isDry}
        </span>
        <span class="grow" />
        <Seg
          label={t.corrections.filter}
          value={filter}
          options={[
            { value: '', label: `${t.corrections.all} ${count(all.length)}` },
            ...order
              .filter(o => all.some(r => r.result === o))
              .map(o => ({ value: o, label: `${w.results[o]} ${count(all.filter(r => r.result === o).length)}` })),
          ]}
          on={setFilter}
        />
        <a class="btn" href={file} download={`import-${kind}.csv`}>
          {w.download}
        </a>
      </header>
      {rows.length === 0 ? (
        <Empty title={t.corrections.nothing} />
      ) : (
        <Table label={t.corrections.outcome} rows={rows} columns={columns} keyOf={r => String(r.line)} nameOf={r => r.title} height={44} />
      )}
    </section>
  )
}
