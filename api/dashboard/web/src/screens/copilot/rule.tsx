import { useState } from 'preact/hooks'
import type { Comparison, CopilotRule, CopilotRuleBody, CopilotRuleReplay } from '../../api.gen.ts'
import { asError, call } from '../../core/call.ts'
import { choicesOf, useCampaigns, useSources } from '../../core/choices.ts'
import { dateTime } from '../../core/dates.ts'
import { names, text } from '../../core/figures.ts'
import { count } from '../../core/format.ts'
import { touches } from '../../core/query.ts'
import { t } from '../../core/text.ts'
import { ComboMany } from '../../parts/combobox.tsx'
import { Field, FormError, Input, Select, Switch, wrongOf, type Wrong } from '../../parts/form.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { toast } from '../../core/toast.ts'
import { w } from '../../text/copilot.ts'
import { figureName, said, figuresText } from './text.ts'

type Draft = Required<CopilotRuleBody>
// actions lists the actions that a rule may take, by the kind of record that it watches.
const actions: Record<Draft['looks_at'], string[]> = {
  campaign: ['pause', 'alert'],
  path: ['pause', 'weight', 'alert'],
  destination: ['weight', 'alert'],
  offer: ['pause', 'alert'],
  value: ['deny', 'alert'],
}
const attributes = [
  'sub1',
  'sub2',
  'sub3',
  'sub4',
  'sub5',
  'sub6',
  'sub7',
  'sub8',
  'sub9',
  'sub10',
  'country',
  'isp',
  'asn',
  'ip',
  'device_type',
  'os',
  'browser',
  'connection_type',
  'mobile_operator',
  'hour_of_day',
]
const fresh: Draft = {
  name: '',
  is_active: true,
  mode: 'shadow',
  looks_at: 'campaign',
  attribute: '',
  campaign_ids: [],
  source_ids: [],
  conditions: [
    { figure: 'cost', operator: '>', value: 3, times: 'payout' },
    { figure: 'conversions', operator: '=', value: 0, times: '' },
  ],
  window: 1,
  window_unit: 'days',
  include_current: true,
  every_minutes: 60,
  action: 'alert',
  factor: 1,
  min_weight: 1,
  max_weight: 100,
  cooldown_minutes: 1440,
  max_changes: 10,
}
const draftOf = (r?: CopilotRule): Draft =>
  r ? (Object.fromEntries(Object.keys(fresh).map(n => [n, r[n as keyof CopilotRule]])) as unknown as Draft) : fresh
const options = (of: Record<string, string>, only?: string[]) =>
  Object.entries(of)
    .filter(([value]) => !only || only.includes(value))
    .map(([value, label]) => ({ value, label }))
const minutes = [10, 30, 60, 120, 360, 720, 1440, 10080]

// RuleForm creates or changes a rule. Before saving, a person can see what the rule would have done in the past.
export function RuleForm({ of, close }: { of?: CopilotRule; close: () => void }) {
  const start = draftOf(of),
    [draft, setDraft] = useState(start),
    [wrong, setWrong] = useState<Wrong>(),
    [busy, setBusy] = useState(''),
    [replay, setReplay] = useState<CopilotRuleReplay>()
  const set = (c: Partial<Draft>) => {
    setDraft({ ...draft, ...c })
    setWrong(undefined)
    setReplay(undefined)
  }
  const look = (looks_at: Draft['looks_at']) =>
    set({
      looks_at,
      attribute: looks_at === 'value' ? draft.attribute || 'sub1' : '',
      action: actions[looks_at].includes(draft.action) ? draft.action : 'alert',
    })
  const campaigns = choicesOf(useCampaigns()),
    sources = choicesOf(useSources()),
    at = (name: string) => (wrong?.field === name ? wrong.text : undefined)
  const send = async (what: 'save' | 'replay') => {
    if (!draft.name.trim()) return setWrong({ field: 'name', text: w.needsName })
    setBusy(what)
    setWrong(undefined)
    try {
      if (what === 'replay') setReplay(await call('POST /copilot/rules/replay', { body: draft }))
      else {
        await (of ? call('PATCH /copilot/rules', { body: { ...draft, id: of.id } }) : call('POST /copilot/rules', { body: draft }))
        touches('copilot')
        toast(w.ruleSaved(draft.name))
        close()
      }
    } catch (e) {
      const error = asError(e)
      setWrong(
        w.failed[error.code]
          ? { text: said(error) }
          : wrongOf(error, ['name', 'conditions', 'window', 'attribute', 'action'], { invalid_condition: 'conditions' }),
      )
    } finally {
      setBusy('')
    }
  }
  const number = (name: 'window' | 'factor' | 'min_weight' | 'max_weight' | 'max_changes', label: string, step = '1') => (
    <Field label={label} error={at(name)}>
      {wired => <Input wired={wired} type="number" min="0" step={step} value={String(draft[name])} on={v => set({ [name]: Number(v) })} />}
    </Field>
  )
  return (
    <Sheet
      side
      title={of ? w.editRule : w.addRule}
      close={close}
      keep={() => JSON.stringify(draft) !== JSON.stringify(start)}
      foot={
        <>
          <button type="button" class="btn" disabled={!!busy} onClick={() => void send('replay')}>
            {w.replay}
          </button>
          <span class="grow" />
          <button type="button" class="btn" onClick={close}>
            {t.parts.cancel}
          </button>
          <button type="button" class="btn primary" disabled={!!busy} onClick={() => void send('save')}>
            {w.saveRule}
          </button>
        </>
      }>
      <div class="body">
        <div class="fields">
          <Field label={w.name} wide error={at('name')}>
            {wired => <Input wired={wired} value={draft.name} maxLength={100} on={name => set({ name })} />}
          </Field>
          <Field label={w.looksAt}>{wired => <Select wired={wired} value={draft.looks_at} options={options(w.levels)} on={look} />}</Field>
          {draft.looks_at === 'value' && (
            <Field label={w.attribute} error={at('attribute')}>
              {wired => (
                <Select
                  wired={wired}
                  value={draft.attribute}
                  options={attributes.map(value => ({ value, label: t.dimensions[value] ?? value }))}
                  on={attribute => set({ attribute })}
                />
              )}
            </Field>
          )}
          <Field label={w.conditions} wide group error={at('conditions')}>
            {() => <Comparisons list={draft.conditions} on={conditions => set({ conditions })} />}
          </Field>
          {number('window', w.windowSize)}
          <Field label={w.unit}>
            {wired => (
              <Select wired={wired} value={draft.window_unit} options={options(w.units)} on={window_unit => set({ window_unit })} />
            )}
          </Field>
          <div class="across">
            <Switch shown on={draft.include_current} set={include_current => set({ include_current })} label={w.current} />
          </div>
          <Field label={w.action} error={at('action')}>
            {wired => (
              <Select
                wired={wired}
                value={draft.action}
                options={options(w.actions, actions[draft.looks_at])}
                on={action => set({ action })}
              />
            )}
          </Field>
          {draft.action === 'weight' && (
            <>
              {number('factor', w.factor, '0.1')}
              {number('min_weight', w.minWeight, '0.1')}
              {number('max_weight', w.maxWeight, '0.1')}
            </>
          )}
          <Field label={w.interval}>
            {wired => (
              <Select
                wired={wired}
                value={String(draft.every_minutes)}
                options={[...new Set([...minutes, draft.every_minutes])]
                  .sort((a, b) => a - b)
                  .map(m => ({ value: String(m), label: w.every(m) }))}
                on={v => set({ every_minutes: Number(v) })}
              />
            )}
          </Field>
          <Field label={w.cooldown}>
            {wired => (
              <Select
                wired={wired}
                value={String(draft.cooldown_minutes)}
                options={[...new Set([60, 360, 720, 1440, 2880, 10080, 43200, draft.cooldown_minutes])]
                  .sort((a, b) => a - b)
                  .map(m => ({ value: String(m), label: m % 1440 === 0 ? w.days(m / 1440) : w.hours(Math.round(m / 60)) }))}
                on={v => set({ cooldown_minutes: Number(v) })}
              />
            )}
          </Field>
          {draft.action !== 'alert' && number('max_changes', w.maxChanges)}
          <Field label={w.scope} wide hint={draft.campaign_ids.length ? undefined : w.everyCampaign}>
            {wired => (
              <ComboMany
                wired={wired}
                label={w.scope}
                values={draft.campaign_ids}
                choices={campaigns}
                on={campaign_ids => set({ campaign_ids: campaign_ids as string[] })}
              />
            )}
          </Field>
          <Field label={w.sources} wide>
            {wired => (
              <ComboMany
                wired={wired}
                label={w.sources}
                values={draft.source_ids}
                choices={sources}
                on={source_ids => set({ source_ids: source_ids as string[] })}
              />
            )}
          </Field>
        </div>
        <FormError wrong={wrong} />
        {busy === 'replay' && (
          <p class="dim" role="status">
            {w.replaying}
          </p>
        )}
        {replay && <Replayed of={replay} />}
      </div>
    </Sheet>
  )
}

function Comparisons({ list, on }: { list: Comparison[]; on: (list: Comparison[]) => void }) {
  const set = (i: number, c: Partial<Comparison>) => on(list.map((o, j) => (j === i ? { ...o, ...c } : o)))
  const figures = names.map(value => ({ value: value as string, label: figureName(value) }))
  return (
    <div class="conditions">
      {list.map((c, i) => (
        <div key={i} class="comparison">
          <Select label={w.conditionFigure} value={c.figure} options={figures} on={figure => set(i, { figure })} />
          <Select
            label={w.operator}
            value={c.operator}
            options={['>', '>=', '<', '<=', '=', '!='].map(value => ({ value, label: value }))}
            on={operator => set(i, { operator })}
          />
          <Input aria-label={w.number} type="number" step="any" value={String(c.value)} on={v => set(i, { value: Number(v) })} />
          <Select
            label={w.times}
            value={c.times}
            options={[
              { value: '', label: w.timesNone },
              { value: 'payout', label: w.payout },
              ...figures.map(f => ({ value: f.value, label: w.ofFigure(f.label) })),
            ]}
            on={times => set(i, { times })}
          />
          <button
            type="button"
            class="btn sm quiet icon"
            aria-label={`${w.removeCondition} ${figureName(c.figure)}`}
            disabled={list.length === 1}
            onClick={() => on(list.filter((_, j) => j !== i))}>
            <Icon name="x" />
          </button>
        </div>
      ))}
      {list.length < 10 && (
        <div>
          <button type="button" class="btn sm" onClick={() => on([...list, { figure: 'clicks', operator: '>=', value: 100, times: '' }])}>
            <Icon name="plus" />
            {w.addCondition}
          </button>
        </div>
      )}
    </div>
  )
}

// Replayed lists the actions that a rule would have taken, in the order of time.
function Replayed({ of: r }: { of: CopilotRuleReplay }) {
  if (r.total === 0)
    return (
      <p class="soft" role="status">
        {w.replayNone}
      </p>
    )
  return (
    <section role="status">
      <p>
        <b>{w.replayed(r.total, count(r.looked))}</b>
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label={w.replay}>
        <table class="plain">
          <thead>
            <tr>
              <th class="left">{w.at}</th>
              <th class="left">{w.what}</th>
              <th class="left">{w.figures}</th>
              <th>{w.later}</th>
            </tr>
          </thead>
          <tbody>
            {r.rows.slice(0, 100).map((o, i) => (
              <tr key={i}>
                <td class="left nowrap">{dateTime(o.at)}</td>
                <td class="left wrap strong">{o.of}</td>
                <td class="left wrap dim">{figuresText(o.figures)}</td>
                <td class="num nowrap">
                  {figureName('profit')} {text(o.after, 'profit')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
