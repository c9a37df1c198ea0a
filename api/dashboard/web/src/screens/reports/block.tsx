import { useEffect, useState } from 'preact/hooks'
import type { BlockPreview, FigureRow } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { bodiesOf, placeOf, targetsOf, undoing, type Place, type Scope, type Target } from '../../core/blocks.ts'
import { useAttempt } from '../../core/busy.ts'
import { asError, call, type ApiError } from '../../core/call.ts'
import { choicesOf, useCampaigns, useSources } from '../../core/choices.ts'
import { sentence } from '../../core/errors.ts'
import { isReal, text, totalsOf, type Name } from '../../core/figures.ts'
import { count, money } from '../../core/format.ts'
import { touches } from '../../core/query.ts'
import type { Ask } from '../../core/report.ts'
import { to } from '../../core/router.ts'
import { useDimensionName } from '../../core/subs.ts'
import { t } from '../../core/text.ts'
import { toast } from '../../core/toast.ts'
import { windowQuery } from '../../core/window.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { copy } from '../../parts/copy.tsx'
import { Field, SelectField } from '../../parts/form.tsx'
import { PlainTable } from '../../parts/plain_table.tsx'
import { FormSheet } from '../../parts/sheet.tsx'
import { Alert, Loading } from '../../parts/state.tsx'
import { w } from '../../text/blocks.ts'

type Props = { ask: Ask; paths: string[][]; close: () => void; done: () => void }

// BlockSheet blocks the values of rows, after it has shown what they cost and brought in.
export function BlockSheet({ ask, paths, close, done }: Props) {
  const targets = targetsOf(ask, paths),
    [where, setWhere] = useState<Place>(() => placeOf(targets)),
    { busy, wrong, run } = useAttempt(asError),
    bodies = bodiesOf(targets, where),
    values = [...new Set(targets.flatMap(o => o.values))],
    isPlaced = bodies.every(b => b.scope === 'account' || b.campaign_id || b.source_id),
    preview = usePreview(isPlaced ? bodies : [])
  const send = () =>
    run(async () => {
      const ids: string[] = []
      let blocked = 0
      for (const body of bodies) {
        const change = await call('POST /blocks', { body })
        ids.push(change.id)
        blocked += change.blocked
      }
      touches('blocks')
      done()
      toast(blocked ? w.done(blocked, count(blocked)) : w.nothing, {
        link: { path: to('/app/blocked'), text: w.show },
        ...(blocked ? { undo: undoing(ids) } : {}),
      })
    })
  const dimension = useDimensionName(),
    what = [...new Set(targets.map(o => dimension(o.dimension)))].join(', ')
  return (
    <FormSheet title={w.sheet(values.length, count(values.length), what)} close={close} go={w.go} off={busy || !isPlaced} send={send}>
      <p class="mono dim cut" title={values.slice(0, 50).join(', ')}>
        {values.slice(0, 12).join(', ')}
        {values.length > 12 && ' …'}
      </p>
      <Where targets={targets} value={where} on={setWhere} />
      {isPlaced && <Preview of={preview} />}
      <p class="row wraps">
        <span class="grow">{w.paid}</span>
        <Button look="sm" onClick={() => void copy(values.join('\n'))} icon="copy" text={w.copyIDs} />
      </p>
      {wrong && <Alert text={sentence(wrong)} />}
    </FormSheet>
  )
}

// usePreview loads the figures of the values in the window, for one or several places.
function usePreview(bodies: object[]) {
  const [state, setState] = useState<{ key: string; list?: BlockPreview[]; error?: ApiError }>({ key: '' }),
    [reloads, setReloads] = useState(0),
    { from, to } = windowQuery(),
    key = JSON.stringify([bodies, from, to])
  useEffect(() => {
    const stop = new AbortController()
    Promise.all(
      (JSON.parse(key) as [object[]])[0].map(body => call('POST /blocks/preview', { body, query: { from, to }, signal: stop.signal })),
    ).then(
      list => setState({ key, list }),
      e => {
        if (!stop.signal.aborted) setState({ key, error: asError(e) })
      },
    )
    return () => stop.abort()
  }, [key, from, to, reloads])
  const { list, error } = state.key === key ? state : {}
  return { list, error, again: () => setReloads(n => n + 1) }
}

// `Where` chooses the campaign, the source or the account in which values are blocked.
function Where({ targets, value, on }: { targets: Target[]; value: Place; on: (p: Place) => void }) {
  const own = { campaign: targets.every(o => o.campaign), source: targets.every(o => o.source), account: true },
    campaigns = useCampaigns(),
    sources = useSources(),
    many = targets.length > 1
  const nameOf = (scope: Scope) => {
    const records = scope === 'campaign' ? campaigns : scope === 'source' ? sources : undefined,
      id = scope === 'account' ? undefined : targets[0]?.[scope],
      name = records?.find(r => r.id === id)?.name
    if (scope === 'account' || !own[scope]) return w.scopes[scope]!
    return many ? w.ownScopes[scope]! : `${w[scope]} ${name ?? '…'}`
  }
  return (
    <>
      <SelectField
        label={w.where}
        value={value.scope}
        options={(['campaign', 'source', 'account'] as const).map(scope => ({ value: scope, label: nameOf(scope) }))}
        on={scope => on({ scope })}
      />
      {value.scope !== 'account' && !own[value.scope] && (
        <Field label={w[value.scope]}>
          {wired => (
            <Combobox
              wired={wired}
              label={w[value.scope as 'campaign']}
              value={value.id ?? ''}
              choices={choicesOf(value.scope === 'campaign' ? campaigns : sources)}
              on={id => on({ scope: value.scope, id })}
            />
          )}
        </Field>
      )}
    </>
  )
}

const shown: Name[] = ['clicks', 'conversions', 'cr', 'cost', 'revenue', 'profit']
// withPending has one figure more: the revenue of pending conversions, which the preview counts as earned by the values.
const withPending: Name[] = ['clicks', 'conversions', 'cr', 'cost', 'revenue', 'pending_revenue', 'profit']

// Preview shows the figures of the values and of all other values, what blocking would have saved, and whether that may be chance.
function Preview({ of }: { of: ReturnType<typeof usePreview> }) {
  if (of.error?.code === 'too_large') return <p class="warn">{w.tooLarge}</p>
  if (!of.list) return <Loading of={of} height={150} style="" />
  const these = totalsOf(of.list.map(p => p.figures)),
    rest = totalsOf(of.list.map(p => p.rest)),
    sum = (pick: (p: BlockPreview) => number) => of.list!.reduce((n, p) => n + pick(p), 0),
    saved = sum(p => p.saved),
    already = sum(p => p.already),
    campaigns = sum(p => p.campaigns),
    bare = sum(p => p.without_fallback),
    pending = these.pending_revenue !== 0,
    heads = pending || rest.pending_revenue !== 0 ? withPending : shown
  return (
    <>
      <PlainTable look="verdict" label={w.before} heads={[{ left: '' }, ...heads.map(n => t.figures.names[n])]}>
        <FiguresRow name={w.these} heads={heads} of={these} against={rest} />
        <FiguresRow name={w.rest} heads={heads} of={rest} />
      </PlainTable>
      <p>
        <b>{saved > 0 ? w.saved(money(saved)) : saved < 0 ? w.lost(money(-saved)) : w.even}</b>{' '}
        {pending && w.pending(money(these.pending_revenue))} {saved > 0 && chanceText(of.list)}
      </p>
      {already > 0 && <p>{w.already(already, count(already))}</p>}
      <p>
        {w.gets} {bare > 0 && <span class="warn">{w.noFallback(bare, count(bare), count(campaigns))}</span>}
      </p>
    </>
  )
}

// chanceText says whether the loss of the values may be due to chance. If values are blocked in several places, it gives the result of
// the place where chance is most likely. If the chance of one place is not known, it says that instead.
function chanceText(list: BlockPreview[]): string {
  const chances = list.map(p => p.chance)
  if (chances.some(c => c === null)) return w.unknown
  return `${Math.max(...(chances as number[])) <= 0.05 ? w.certain : w.uncertain} ${w.worst}`
}

// FiguresRow shows figures. The conversion rate is grey, as in reports, if chance may explain how it differs from the rate in
// `against`.
const FiguresRow = ({ name, heads, of, against }: { name: string; heads: Name[]; of: FigureRow; against?: FigureRow }) => (
  <tr>
    <td class="left">{name}</td>
    {heads.map(n => (
      <td key={n} class={n === 'cr' && against && !isReal(n, of, against) ? 'dim' : ''}>
        {text(of, n)}
      </td>
    ))}
  </tr>
)
