import { useState } from 'preact/hooks'
import type { ComparisonPart, CopilotRule, CopilotRuleBody, CopilotRuleReplay } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { useBusy } from '../../core/busy.ts'
import { asError, call } from '../../core/call.ts'
import { choicesOf, useCampaigns, useSources, type Choice } from '../../core/choices.ts'
import { dateTime } from '../../core/dates.ts'
import { names, text } from '../../core/figures.ts'
import { latestOf, versionOf } from '../../core/latest.ts'
import { count } from '../../core/format.ts'
import { dimensionName, subKeys, useScopeNames } from '../../core/subs.ts'
import { t } from '../../core/text.ts'
import { ComboMany } from '../../parts/combobox.tsx'
import { Field, FormError, Input, Select, Switch, wrongOf, type Wrong, InputField, SelectField } from '../../parts/form.tsx'
import { PlainTable } from '../../parts/plain_table.tsx'
import { Conflicts, useRecordDraft } from '../../parts/record_draft.tsx'
import { Cancel, Sheet } from '../../parts/sheet.tsx'
import { toastAndReload } from '../../core/toast.ts'
import { w } from '../../text/copilot.ts'
import { conditionsText, errorText, figureName, figuresText } from './text.ts'

type Draft = Required<CopilotRuleBody>
// actions lists the actions that a rule may take, by the kind of record that it watches.
const actions: Record<Draft['looks_at'], string[]> = {
  campaign: ['pause', 'alert'],
  path: ['pause', 'weight', 'alert'],
  destination: ['weight', 'alert'],
  offer: ['pause', 'alert'],
  value: ['deny', 'alert'],
}
const attributes = ['country', 'isp', 'asn', 'ip', 'device_type', 'os', 'browser', 'connection_type', 'mobile_operator', 'hour_of_day']
const newRule: Draft = {
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
// draftOf returns the fields of a rule that a person can edit, or a new rule.
const draftOf = (r?: CopilotRule): Draft =>
  r ? (Object.fromEntries(Object.keys(newRule).map(n => [n, r[n as keyof CopilotRule]])) as unknown as Draft) : newRule
// options returns texts as the options of a field. If `only` is given, all other values are left out.
const options = (texts: Record<string, string>, only?: string[]) =>
  Object.entries(texts)
    .filter(([value]) => !only || only.includes(value))
    .map(([value, label]) => ({ value, label }))

// durations returns the numbers of minutes in `list` as options. If `now`, the current value of the field, is not in the list, it
// becomes an option too.
const durations = (list: number[], now: number, label: (minutes: number) => string) =>
  [...new Set([...list, now])].sort((a, b) => a - b).map(m => ({ value: String(m), label: label(m) }))

// labels are the names of the fields. choices are the names of the values of some fields.
const labels: Record<string, string> = {
  name: t.overview.name,
  is_active: t.lists.states.active!,
  mode: w.live,
  looks_at: w.looksAt,
  attribute: t.conditions.attribute,
  campaign_ids: w.scope,
  source_ids: w.sources,
  conditions: w.conditions,
  window: w.windowSize,
  window_unit: w.unit,
  include_current: w.current,
  every_minutes: w.interval,
  action: w.action,
  factor: w.factor,
  min_weight: w.minWeight,
  max_weight: w.maxWeight,
  cooldown_minutes: w.cooldown,
  max_changes: w.maxChanges,
}
const choices: Record<string, Record<string, string>> = {
  mode: { live: t.conditions.yes, shadow: t.conditions.no },
  looks_at: w.levels,
  window_unit: w.units,
  action: w.actions,
}

// RuleForm creates or changes a rule. Before saving, a person can see what the rule would have done in the past.
export function RuleForm({ of: rule, close }: { of?: CopilotRule; close: () => void }) {
  const { draft: fields, setDraft, changed, conflicts, store, adoptTheirs } = useRecordDraft(draftOf(rule), Object.keys(newRule)),
    draft = fields as Draft,
    [wrong, setWrong] = useState<Wrong>(),
    [busy, run] = useBusy(),
    [replay, setReplay] = useState<CopilotRuleReplay | 'running'>()
  const set = (change: Partial<Draft>) => {
    setDraft(now => ({ ...now, ...change }))
    setWrong(undefined)
    setReplay(undefined)
  }
  // send runs `work` if the rule has a name. It shows an error of `work` in the form.
  const send = async (work: () => Promise<unknown>) => {
    if (!draft.name.trim()) return setWrong({ field: 'name', text: w.needsName })
    setWrong(undefined)
    await run(work, e => {
      const error = asError(e)
      setReplay(now => (now === 'running' ? undefined : now))
      setWrong(
        w.failed[error.code]
          ? { text: errorText(error) }
          : wrongOf(error, ['name', 'conditions', 'window', 'attribute', 'action'], { invalid_condition: 'conditions' }),
      )
    })
  }
  const simulate = () =>
    send(async () => {
      setReplay('running')
      setReplay(await call('POST /copilot/rules/replay', { body: draft }))
    })
  const latest = rule && (() => latestOf('copilot/rules', rule).then(now => now && { fields: draftOf(now), match: versionOf(now) }))
  const save = () =>
    send(() =>
      store(latest, async (body, _, match) => {
        await (rule ? call('PATCH /copilot/rules', { body: { ...body, id: rule.id }, match }) : call('POST /copilot/rules', { body }))
        toastAndReload(w.ruleSaved(String(body.name)), 'copilot')
        close()
      }),
    )
  const props = { draft, set, errorAt: (name: string) => (wrong?.field === name ? wrong.text : undefined) }
  return (
    <Sheet
      side
      title={rule ? t.lists.edit : w.addRule}
      close={close}
      keep={() => changed.length > 0}
      foot={
        <>
          <Button disabled={busy} onClick={() => void simulate()} text={w.replay} />
          <span class="grow" />
          <Cancel close={close} />
          <Button look="primary" disabled={busy} onClick={() => void save()} text={t.parts.save} />
        </>
      }>
      <div class="body">
        <div class="fields">
          <When {...props} />
          <Then {...props} />
          <Scope {...props} />
        </div>
        <FormError wrong={wrong} />
        <Conflicts
          of={conflicts}
          labels={labels}
          adoptTheirs={adoptTheirs}
          show={c =>
            c.name === 'conditions' ? conditionsText(c.theirs as CopilotRule['conditions']) : choices[c.name]?.[String(c.theirs)]
          }
        />
        {replay === 'running' ? (
          <p class="dim" role="status">
            {w.replaying}
          </p>
        ) : (
          replay && <Replayed of={replay} />
        )}
      </div>
    </Sheet>
  )
}

type FieldsProps = { draft: Draft; set: (c: Partial<Draft>) => void; errorAt: (name: string) => string | undefined }
type NumberProps = FieldsProps & {
  name: 'window' | 'factor' | 'min_weight' | 'max_weight' | 'max_changes'
  label: string
  step?: string
}

const NumberField = ({ draft, set, errorAt, name, label, step = '1' }: NumberProps) => (
  <InputField
    label={label}
    error={errorAt(name)}
    type="number"
    min="0"
    step={step}
    value={String(draft[name])}
    on={v => set({ [name]: Number(v) })}
  />
)

// `When` edits the name of a rule, the records that it watches, the figures at which it acts, and the time window of these figures.
function When(p: FieldsProps) {
  const { draft, set, errorAt } = p
  const watch = (looks_at: Draft['looks_at']) =>
    set({
      looks_at,
      attribute: looks_at === 'value' ? draft.attribute || 'sub1' : '',
      action: actions[looks_at].includes(draft.action) ? draft.action : 'alert',
    })
  const names = useScopeNames(draft.campaign_ids, draft.source_ids)
  return (
    <>
      <InputField label={t.overview.name} wide error={errorAt('name')} value={draft.name} maxLength={100} on={name => set({ name })} />
      <SelectField label={w.looksAt} value={draft.looks_at} options={options(w.levels)} on={watch} />
      {draft.looks_at === 'value' && (
        <SelectField
          label={t.conditions.attribute}
          error={errorAt('attribute')}
          value={draft.attribute}
          options={[...subKeys, ...attributes].map(value => ({ value, label: dimensionName(value, names) }))}
          on={attribute => set({ attribute })}
        />
      )}
      <Field label={w.conditions} wide group error={errorAt('conditions')}>
        {() => <Comparisons list={draft.conditions} on={conditions => set({ conditions })} />}
      </Field>
      <NumberField {...p} name="window" label={w.windowSize} />
      <SelectField label={w.unit} value={draft.window_unit} options={options(w.units)} on={window_unit => set({ window_unit })} />
      <div class="across">
        <Switch shown on={draft.include_current} set={include_current => set({ include_current })} label={w.current} />
      </div>
    </>
  )
}

// `Then` edits what a rule does, and how often.
function Then(p: FieldsProps) {
  const { draft, set, errorAt } = p
  return (
    <>
      <SelectField
        label={w.action}
        error={errorAt('action')}
        value={draft.action}
        options={options(w.actions, actions[draft.looks_at])}
        on={action => set({ action })}
      />
      {draft.action === 'weight' && (
        <>
          <NumberField {...p} name="factor" label={w.factor} step="0.1" />
          <NumberField {...p} name="min_weight" label={w.minWeight} step="0.1" />
          <NumberField {...p} name="max_weight" label={w.maxWeight} step="0.1" />
        </>
      )}
      <SelectField
        label={w.interval}
        value={String(draft.every_minutes)}
        options={durations([10, 30, 60, 120, 360, 720, 1440, 10080], draft.every_minutes, w.every)}
        on={v => set({ every_minutes: Number(v) })}
      />
      <SelectField
        label={w.cooldown}
        value={String(draft.cooldown_minutes)}
        options={durations([60, 360, 720, 1440, 2880, 10080, 43200], draft.cooldown_minutes, m =>
          m % 1440 === 0 ? w.days(m / 1440) : t.exports.times.hours(Math.round(m / 60)),
        )}
        on={v => set({ cooldown_minutes: Number(v) })}
      />
      {draft.action !== 'alert' && <NumberField {...p} name="max_changes" label={w.maxChanges} />}
    </>
  )
}

// Scope chooses the campaigns and the sources that a rule watches.
function Scope({ draft, set }: FieldsProps) {
  const campaigns = choicesOf(useCampaigns()),
    sources = choicesOf(useSources())
  const chooser = (name: 'campaign_ids' | 'source_ids', label: string, choices: Choice[] | undefined, hint?: string) => (
    <Field label={label} wide hint={hint}>
      {wired => <ComboMany wired={wired} label={label} values={draft[name]} choices={choices} on={ids => set({ [name]: ids })} />}
    </Field>
  )
  return (
    <>
      {chooser('campaign_ids', w.scope, campaigns, draft.campaign_ids.length ? undefined : w.everyCampaign)}
      {chooser('source_ids', w.sources, sources)}
    </>
  )
}

function Comparisons({ list, on }: { list: ComparisonPart[]; on: (list: ComparisonPart[]) => void }) {
  const set = (i: number, c: Partial<ComparisonPart>) => on(list.map((o, j) => (j === i ? { ...o, ...c } : o)))
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
          <Input aria-label={w.number} type="number" step="any" value={String(c.value ?? 0)} on={v => set(i, { value: Number(v) })} />
          <Select
            label={w.times}
            value={c.times ?? ''}
            options={[
              { value: '', label: w.timesNone },
              { value: 'payout', label: w.payout },
              ...figures.map(f => ({ value: f.value, label: w.ofFigure(f.label) })),
            ]}
            on={times => set(i, { times })}
          />
          <Button
            look="sm quiet icon"
            aria-label={`${w.removeCondition} ${figureName(c.figure)}`}
            disabled={list.length === 1}
            onClick={() => on(list.filter((_, j) => j !== i))}
            icon="x"
          />
        </div>
      ))}
      {list.length < 10 && (
        <div>
          <Button
            look="sm"
            onClick={() => on([...list, { figure: 'clicks', operator: '>=', value: 100, times: '' }])}
            icon="plus"
            text={w.addCondition}
          />
        </div>
      )}
    </div>
  )
}

// Replayed lists the actions that a rule would have taken.
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
      <PlainTable label={w.replay} heads={[{ left: w.at }, { left: w.what }, { left: w.figures }, w.later]}>
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
      </PlainTable>
    </section>
  )
}
