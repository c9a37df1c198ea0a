import { useEffect, useState } from 'preact/hooks'
import type { CostSet, SetCostBody } from '../api.gen.ts'
import { useAttempt } from '../core/busy.ts'
import { asError } from '../core/call.ts'
import { useCampaigns, useSources } from '../core/choices.ts'
import { bodyOf, daysOf, moved, quoteOf, setCost, targetOf, undoCost, type Target } from '../core/cost.ts'
import { dateOf } from '../core/dates.ts'
import { explained } from '../core/errors.ts'
import { count, money } from '../core/format.ts'
import { me, zone } from '../core/me.ts'
import { touches, use } from '../core/query.ts'
import { dimensionName, subKeys, useScopeNames } from '../core/subs.ts'
import { t } from '../core/text.ts'
import { toast, toastAndReload } from '../core/toast.ts'
import { span } from '../core/window.ts'
import { w } from '../text/cost.ts'
import { ComboField } from './combobox.tsx'
import { Field, InputField, MoneyInput, Seg, SelectField } from './form.tsx'
import { PlainTable } from './plain_table.tsx'
import { FormSheet } from './sheet.tsx'
import { Alert } from './state.tsx'

export const { notHere } = w
export const dayText = (day: string) => dateOf(Date.parse(day + 'T00:00:00Z'), undefined, 'UTC')
const mostRows = 40 // the most rows that the preview shows

// why explains an error.
function why(e: unknown) {
  const missing = /no exchange rate of (\w+) on (\d{4}-\d\d-\d\d)/.exec(asError(e).message)
  return missing ? w.noRate(missing[1]!, dayText(missing[2]!)) : explained(e, w.codes)
}

type Quote = { body?: string; answer?: CostSet; wrong?: string }

// useQuote asks the service what a cost would change, half a second after the last edit. It never returns the answer for a body
// that the person has edited since.
function useQuote(body: SetCostBody | undefined): Quote {
  const [quote, setQuote] = useState<Quote>({}),
    text = body && JSON.stringify(body)
  useEffect(() => {
    if (!text) return
    const stop = new AbortController(),
      timer = setTimeout(() => {
        quoteOf(JSON.parse(text) as SetCostBody, stop.signal).then(
          answer => setQuote({ body: text, answer }),
          e => {
            if (!stop.signal.aborted) setQuote({ body: text, wrong: why(e) })
          },
        )
      }, 500)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text])
  return quote.body === text ? quote : {}
}

export function useCost(start: Target, done: () => void) {
  const [target, setTarget] = useState(start),
    [kind, setKind] = useState<'amount' | 'cpc'>('amount'),
    [amount, setAmount] = useState<number | null>(null),
    [currency, setCurrency] = useState(me.value!.account.currency)
  const body = bodyOf(target, kind, amount, currency),
    quote = useQuote(body),
    { busy, wrong, run } = useAttempt(why)
  const send = () =>
    run(async () => {
      if (!body || !quote.answer) return
      const text = (a: CostSet) => w.done(a.clicks, count(a.clicks)),
        answer = await setCost(w.job, body, text)
      touches(...moved)
      toast(text(answer), { undo: () => undo(answer.id!) })
      done()
    })
  return {
    ...{ target, kind, setKind, amount, setAmount, currency, setCurrency, quote, send, busy, wrong },
    set: (more: Partial<Target>) => setTarget({ ...target, ...more }),
    waits: !!body && !quote.answer && !quote.wrong,
    ready: !!quote.answer && !busy,
  }
}
type Cost = ReturnType<typeof useCost>

export const undo = (id: string) =>
  undoCost(id).then(
    () => toastAndReload(w.undone, ...moved),
    e => toast(explained(e, w.codes), { bad: true }),
  )

// CostSheet sets the cost of the clicks that a row of a list or a report counts.
export function CostSheet({ of, name, close }: { of: Target; name?: string; close: () => void }) {
  const cost = useCost(of, close)
  return (
    <FormSheet
      title={name ? w.titleOf(name) : w.title}
      close={close}
      keep={() => cost.amount !== null}
      go={w.go}
      off={!cost.ready}
      send={cost.send}>
      <CostFields of={cost} />
    </FormSheet>
  )
}

// CostFields are the fields of a cost, and what it would change.
export function CostFields({ of: cost }: { of: Cost }) {
  const { target, set, quote } = cost
  return (
    <>
      <Field label={cost.kind === 'amount' ? w.amount : w.cpc}>
        {wired => (
          <span class="costline">
            <MoneyInput wired={wired} currency={cost.currency} value={cost.amount} on={cost.setAmount} />
            <Seg
              label={w.kind}
              value={cost.kind}
              options={(['amount', 'cpc'] as const).map(value => ({ value, label: w.kinds[value] }))}
              on={cost.setKind}
            />
          </span>
        )}
      </Field>
      <Days of={target} set={set} />
      <Clicks of={target} set={set} />
      <InputField label={w.currency} value={cost.currency} maxLength={3} class="mono" on={v => cost.setCurrency(v.trim().toUpperCase())} />
      {!target.campaign && !target.source && <p class="dim">{w.needsOne}</p>}
      <Synced of={target} />
      {(cost.wrong ?? quote.wrong) && <Alert text={(cost.wrong ?? quote.wrong)!} />}
      {cost.waits && (
        <p class="dim" role="status">
          {w.looking}
        </p>
      )}
      {quote.answer && <Preview of={quote.answer} />}
    </>
  )
}

type FieldsProps = { of: Target; set: (more: Partial<Target>) => void }

function Days({ of, set }: FieldsProps) {
  const presets = { yesterday: daysOf('yesterday', zone.value), today: daysOf('today', zone.value), window: targetOf(span.value.span) }
  const at = Object.entries(presets).find(([, p]) => p.from === of.from && p.to === of.to)?.[0] ?? ''
  return (
    <Field label={w.days} group>
      {() => (
        <span class="costline">
          <Seg
            label={w.days}
            value={at}
            options={Object.keys(presets).map(value => ({ value, label: w.presets[value]! }))}
            on={v => {
              const { from, to } = presets[v as keyof typeof presets]
              set({ from, to })
            }}
          />
          <input class="input" type="date" aria-label={w.from} value={of.from} onInput={e => set({ from: e.currentTarget.value })} />
          <input class="input" type="date" aria-label={w.to} value={of.to} onInput={e => set({ to: e.currentTarget.value })} />
        </span>
      )}
    </Field>
  )
}

function Clicks({ of, set }: FieldsProps) {
  const campaigns = useCampaigns(),
    sources = useSources(),
    names = useScopeNames(of.campaign ? [of.campaign] : [], of.source ? [of.source] : [])
  return (
    <>
      <ComboField
        label={w.campaign}
        value={of.campaign}
        none={w.everyCampaign}
        choices={campaigns?.map(c => ({ value: c.id, label: c.name }))}
        on={campaign => set({ campaign })}
      />
      <ComboField
        label={w.source}
        value={of.source}
        none={w.everySource}
        choices={sources?.map(s => ({ value: s.id, label: s.name }))}
        on={source => set({ source })}
      />
      <SelectField
        label={w.sub}
        value={String(of.sub)}
        options={[{ value: '0', label: w.noSub }, ...subKeys.map(s => ({ value: s.slice(3), label: dimensionName(s, names) }))]}
        on={v => set({ sub: Number(v) })}
      />
      {of.sub > 0 && <InputField label={w.value} hint={w.valueHint} value={of.value} maxLength={300} on={value => set({ value })} />}
    </>
  )
}

// Synced says that the platform of the traffic source will replace the cost, if the costs of this source are fetched from there.
function Synced({ of }: { of: Target }) {
  const campaigns = useCampaigns(),
    id = of.source || campaigns?.find(c => c.id === of.campaign)?.source_id || '',
    { data } = use('GET /traffic-sources/{id}/integration', id ? {} : null, 0, { id })
  const provider = data?.is_enabled && data.next_sync_at ? data.providers.find(p => p.provider === data.provider) : undefined
  return provider ? (
    <p class="warn" role="status">
      {w.synced(provider.label)}
    </p>
  ) : null
}

// Preview shows the cost before and after, by day and campaign.
function Preview({ of }: { of: CostSet }) {
  const rows = of.days.slice(0, mostRows),
    left = of.days.length - rows.length
  return (
    <div class="costs">
      <PlainTable label={w.preview} look="folds" heads={[{ left: `${w.day} · ${w.campaign}` }, w.clicks, w.before, w.after]}>
        <tr class="total">
          <td class="left">
            <b>{w.all(of.clicks, count(of.clicks))}</b>
          </td>
          <td class="num">{count(of.clicks)}</td>
          <td class="num">{money(of.before)}</td>
          <td class="num">
            <b>{money(of.after)}</b>
          </td>
        </tr>
        {rows.map(d => (
          <tr key={d.day + d.campaign_id}>
            <td class="left">
              {dayText(d.day)} ·{' '}
              {d.clicks > 0 ? (
                d.campaign_name || t.gone
              ) : (
                <span class={d.after > 0 ? 'warn' : 'dim'}>{d.after > 0 ? w.alone : w.empty}</span>
              )}
            </td>
            <td class="num">{count(d.clicks)}</td>
            <td class="num">{money(d.before)}</td>
            <td class="num">{money(d.after)}</td>
          </tr>
        ))}
      </PlainTable>
      <p class="dim fine">{left > 0 ? w.more(left, count(left)) : w.spread}</p>
    </div>
  )
}
