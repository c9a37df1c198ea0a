import { useEffect, useRef, useState } from 'preact/hooks'
import type { CampaignComparison, ComparedArm, ComparedGroup } from '../api.gen.ts'
import { useBusy } from '../core/busy.ts'
import { asError } from '../core/call.ts'
import { canWrite } from '../core/can.ts'
import { choicesOf, useCampaigns } from '../core/choices.ts'
import { applyWeights, changesWeights, type By } from '../core/compare.ts'
import { sentence } from '../core/errors.ts'
import { count, money, none, percent } from '../core/format.ts'
import { use } from '../core/query.ts'
import { t } from '../core/text.ts'
import { failed, toast } from '../core/toast.ts'
import { windowQuery } from '../core/window.ts'
import { w } from '../text/ab.ts'
import { Button } from './button.tsx'
import { Card } from './card.tsx'
import { ComboField } from './combobox.tsx'
import { Seg } from './form.tsx'
import { Sign } from './icons.tsx'
import { PlainTable } from './plain_table.tsx'
import { Ask, Sheet } from './sheet.tsx'
import { Loading } from './state.tsx'

// `Where` has a campaign and what is compared in it. For landing pages and offers, `path` limits the comparison to one path.
type Where = { id: string; by: By; path?: string }

const useComparison = ({ id, by }: Where) => {
  const { from, to } = windowQuery()
  return use('GET /campaigns/{id}/compare', { from, to, by }, 120, { id })
}

const chance = (p: number) => percent(Math.min(99.9, p * 100), p > 0.99 ? 1 : 0) // never 100 %, because it is an estimate

// verdict says which path, landing page or offer of a group is better and how certain that is, or why this is not known.
function verdict(g: ComparedGroup): string {
  const [first] = g.arms,
    more = g.more_clicks == null ? '' : w.more(g.more_clicks, count(g.more_clicks))
  switch (g.state) {
    case 'too_many':
      return w.many
    case 'too_early': {
      const days = g.more_days > 0 ? w.moreDays(g.more_days, count(g.more_days)) : ''
      return [w.early, more || (g.arms.every(a => a.conversions === 0) ? w.unknown : ''), days].filter(Boolean).join(' ')
    }
    case 'decided':
      return w.decided(first!.name, chance(first!.best!))
  }
  return [w.open(first!.name, chance(first!.best!)), more || w.alike].join(' ')
}

const Kinds = ({ by, on }: { by: By; on: (by: By) => void }) => (
  <Seg
    label={w.title}
    value={by}
    options={(['stream', 'lander', 'offer'] as const).map(value => ({ value, label: w.kinds[value] }))}
    on={on}
  />
)

// CompareCard compares the paths, the landing pages or the offers of a campaign.
export function CompareCard({ id }: { id: string }) {
  const [by, setBy] = useState<By>('stream')
  return (
    <Card title={w.title} beside={<Kinds by={by} on={setBy} />}>
      <Groups id={id} by={by} />
    </Card>
  )
}

type Opened = Omit<Where, 'id'> & { id?: string }

// CompareSheet shows the comparison in a sheet over another screen.
function CompareSheet({ id: given, by: first, path, close }: Opened & { close: () => void }) {
  const [by, setBy] = useState(first),
    [id, setID] = useState(given ?? ''),
    campaigns = useCampaigns(!given)
  return (
    <Sheet title={`${w.title}: ${w.kinds[by]}`} close={close}>
      <div class="body">
        {!path && <Kinds by={by} on={setBy} />}
        {!given && <ComboField label={t.dimensions.campaign_id!} hint={w.choose} value={id} choices={choicesOf(campaigns)} on={setID} />}
        {id && <Groups key={id} id={id} by={by} path={path} />}
      </div>
    </Sheet>
  )
}

export function CompareButton({ look, text = w.title, ...of }: Opened & { look?: string; text?: string }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button look={look} onClick={() => setOpen(true)} text={text} />
      {open && <CompareSheet {...of} close={() => setOpen(false)} />}
    </>
  )
}

// CompareLine says which landing page or offer of a path is better, and has a button that opens the comparison.
export function CompareLine(where: Where) {
  const groups = useComparison(where).data?.groups.filter(g => g.path_id === where.path) ?? []
  if (groups.length === 0) return null
  return (
    <div class="row wraps fine">
      <span class="grow">
        {groups.map((g, i) => (
          <span key={i} class="block">
            {g.slot > 0 && `${w.slot(g.slot)}: `}
            {verdict(g)}
          </span>
        ))}
      </span>
      <CompareButton {...where} look="sm" text={w.compare} />
    </div>
  )
}

function Groups(where: Where) {
  const [undo, setUndo] = useState<() => Promise<unknown>>(),
    of = useComparison(where),
    { data } = of,
    mine = (path: string | null) => !where.path || path === where.path
  if (!data) return <Loading of={of} height={140} />
  const groups = data.groups.filter(g => mine(g.path_id)),
    left = data.left_out.filter(l => mine(l.path_id))
  return (
    <div class="body">
      {undo && <Applied undo={undo} close={() => setUndo(undefined)} />}
      {groups.length === 0 && <p class="dim">{w.nothing}</p>}
      {groups.map((g, i) => (
        <Group key={i} id={where.id} of={g} version={data.version} again={of.again} applied={u => setUndo(() => u)} />
      ))}
      {left.length > 0 && <LeftOut of={left} />}
    </div>
  )
}

// Applied says that the weights are saved, and offers to undo that. It stands above the figures and is no toast, because a toast
// cannot be clicked while a sheet is open.
function Applied({ undo, close }: { undo: () => Promise<unknown>; close: () => void }) {
  const [busy, run] = useBusy(),
    isUndone = useRef(false)
  useEffect(() => () => void (isUndone.current || toast(w.done, { undo })), [undo])
  const back = async () => {
    await undo()
    isUndone.current = true
    toast(w.undone)
    close()
  }
  return (
    <div class="row" role="status">
      <Sign name="check" tone="good" />
      <span class="grow">{w.done}</span>
      <Button look="sm" disabled={busy} onClick={() => void run(back)} text={t.parts.undo} />
    </div>
  )
}

type GroupProps = {
  id: string
  of: ComparedGroup
  version: string
  again: () => void
  applied: (undo: () => Promise<unknown>) => void
}

function Group({ of: g, ...more }: GroupProps) {
  const [asking, setAsking] = useState(false),
    name = [g.path, g.slot > 0 && w.slot(g.slot)].filter(Boolean).join(', '),
    estimated = g.state === 'open' || g.state === 'decided'
  return (
    <section class="compared">
      {name && <h3 class="label">{name}</h3>}
      <div class="row wraps">
        <p class="grow strong">{verdict(g)}</p>
        {estimated && changesWeights(g) && canWrite() && <Button look="sm" onClick={() => setAsking(true)} text={w.apply} />}
      </div>
      <Arms of={g} label={name || w.title} />
      <p class="dim fine">
        {g.state === 'too_early' ? w.minimum : w.note[g.unit]} {g.spread_assumed && w.assumed}
      </p>
      {asking && <Apply {...more} of={g} close={() => setAsking(false)} />}
    </section>
  )
}

const value = (unit: ComparedGroup['unit'], v: number) => (unit === 'earnings' ? money(v, Math.abs(v) < 1 ? 4 : 2) : percent(v * 100, 2))

function Arms({ of: g, label }: { of: ComparedGroup; label: string }) {
  const range = (v: number | null, low: number | null, high: number | null) =>
    v == null || low == null || high == null ? (
      none
    ) : (
      <>
        {value(g.unit, v)} <small class="dim block">{w.interval(value(g.unit, low), value(g.unit, high))}</small>
      </>
    )
  const missing = (a: ComparedArm) => (a.loses ? w.loses : a.more_clicks == null ? none : w.each(count(a.more_clicks)))
  return (
    <PlainTable
      look="arms"
      label={label}
      heads={[
        { left: t.overview.name },
        t.figures.names.clicks,
        t.figures.conversions,
        w.earns[g.unit],
        w.best,
        w.behind,
        w.missing,
        w.weight,
      ]}>
      {g.arms.map(a => (
        <tr key={a.id}>
          <td class="left strong" title={a.name}>
            {a.name}
          </td>
          <td class="num">{count(a.clicks)}</td>
          <td class="num">{count(a.conversions)}</td>
          <td class="num">{range(a.earns, a.low, a.high)}</td>
          <td class="num">{a.best == null ? none : chance(a.best)}</td>
          <td class="num">{range(a.behind, a.behind_low, a.behind_high)}</td>
          <td class="num">{missing(a)}</td>
          <td class="num">{weight(a.weight)}</td>
        </tr>
      ))}
    </PlainTable>
  )
}

const weight = (n: number | null) => (n == null ? none : String(Math.round(n * 1000) / 1000))

function Apply({ id, of: g, version, again, applied, close }: GroupProps & { close: () => void }) {
  const wrong = (e: unknown) => {
    const stale = asError(e).code === 'stale'
    failed(stale ? w.stale : sentence(asError(e)))
    if (stale) again()
  }
  return (
    <Ask
      title={w.applyTitle}
      text={`${w.applyText} ${g.state === 'open' ? w.openText : ''}`}
      go={w.apply}
      on={() => applyWeights(id, version, g).then(applied)}
      wrong={wrong}
      close={close}>
      <PlainTable label={w.weight} heads={[{ left: t.overview.name }, w.before, w.after]}>
        {g.arms.map(a => (
          <tr key={a.id}>
            <td class="left wrap strong">{a.name}</td>
            <td class="num dim">{weight(a.weight)}</td>
            <td class="num">
              <b>{weight(a.proposed)}</b>
            </td>
          </tr>
        ))}
      </PlainTable>
    </Ask>
  )
}

const LeftOut = ({ of: left }: { of: CampaignComparison['left_out'] }) => (
  <details>
    <summary>{w.leftOut(count(left.length))}</summary>
    <ul class="bullets">
      {left.map((l, i) => (
        <li key={i}>
          {[l.path, l.name].filter(Boolean).join(', ')}: {w.reasons[l.reason]}
        </li>
      ))}
    </ul>
  </details>
)
