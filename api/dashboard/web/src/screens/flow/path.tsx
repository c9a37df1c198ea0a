import { useEffect, useRef } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import type { Path } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { Part } from '../../parts/card.tsx'
import { choicesOf, type Option } from '../../core/choices.ts'
import { useLookup } from '../../core/lookup.ts'
import { t } from '../../core/text.ts'
import { flowWords } from '../../text/flow.ts'
import { isLander } from './edit.ts'
import { CompareLine } from '../../parts/compare.tsx'
import { ComboField } from '../../parts/combobox.tsx'
import { Conditions } from '../../parts/condition.tsx'
import { Area, Field, Input, Select, SelectField, Switch, type Wired } from '../../parts/form.tsx'
import { Sign } from '../../parts/icons.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { Alert } from '../../parts/state.tsx'
import type { Book, useBook } from './book.ts'
import { Destinations } from './destinations.tsx'
import { Rules } from './rules.tsx'

type Wrong = { field?: string; text: string } | undefined
type Props = {
  path: Path
  book: Book
  records: ReturnType<typeof useBook>
  wrong: Wrong
  covered?: Path // the path that is tried earlier and takes all visitors of this path
  lift: () => void // moves this path before the path in `covered`
  may: boolean
  self: string // the id of the campaign
  on: (change: Partial<Path>) => void
  close: () => void
  remove: () => void
  clone: () => void
}
const options = (texts: Record<string, string>): Option[] => Object.entries(texts).map(([value, label]) => ({ value, label }))
const errorAt = (wrong: Wrong, field: string) => (wrong?.field === field ? wrong.text : undefined)

// PathSheet edits a path of a flow. A change is in the draft immediately, and goes live when the flow is saved.
export function PathSheet(props: Props) {
  const { path: p, wrong, covered, lift, may, on, close, remove, clone } = props,
    body = useRef<HTMLFieldSetElement>(null)
  useEffect(() => {
    if (wrong?.field) body.current?.querySelector<HTMLElement>(`[data-field="${wrong.field}"] :is(input, select, button)`)?.focus()
  }, [wrong])
  return (
    <Sheet
      side
      title={p.name || flowWords.path}
      close={close}
      beside={
        <Switch
          on={p.is_active}
          shown
          disabled={!may}
          label={p.is_active ? t.lists.states.active! : t.lists.states.paused!}
          set={is_active => on({ is_active })}
        />
      }
      foot={
        may && (
          <>
            <Button look="quiet" onClick={remove} icon="trash" text={flowWords.removePath} />
            <Button look="quiet" onClick={clone} icon="copy" text={t.lists.clone} />
            <span class="grow" />
            <Button look="primary" onClick={close} text={t.reports.done} />
          </>
        )
      }>
      <fieldset ref={body} disabled={!may} class="record plainset">
        {wrong && !wrong.field && (
          <p class="bad formerror" role="alert">
            {wrong.text}
          </p>
        )}
        {covered && (
          <section class="part row" role="status">
            <Sign name="warn" tone="warn" />
            <span class="grow">{flowWords.coveredMore(covered.name)}</span>
            {covered.stream_type === p.stream_type && covered.rule_group === p.rule_group && (
              <Button look="sm" onClick={lift} text={flowWords.lift} />
            )}
          </section>
        )}
        <section class="part">
          <div class="fields">
            <PathField name="name" label={t.overview.name} wrong={wrong}>
              {w => <Input wired={w} value={p.name} maxLength={255} on={name => on({ name })} />}
            </PathField>
            <PathField name="stream_type" hint={flowWords.typeHints[p.stream_type]} wrong={wrong}>
              {w => <Select wired={w} value={p.stream_type} options={options(flowWords.types)} on={stream_type => on({ stream_type })} />}
            </PathField>
          </div>
        </section>
        <Who {...props} />
        <Where {...props} />
        <More {...props} />
      </fieldset>
    </Sheet>
  )
}

type PathFieldProps = { name: string; label?: string; hint?: string; wrong: Wrong; children: (w: Wired) => ComponentChildren }

const PathField = ({ name, label = flowWords.fields[name]!, hint, wrong, children }: PathFieldProps) => (
  <div data-field={name}>
    <Field label={label} hint={hint} error={errorAt(wrong, name)}>
      {children}
    </Field>
  </div>
)

// `Who` edits the conditions and the rules that a visitor of the path meets.
function Who({ path: p, book, records, wrong, on }: Props) {
  const error = errorAt(wrong, 'filters') ?? errorAt(wrong, 'rules'),
    lookup = useLookup({ source_id: choicesOf(records.sources), campaign_id: choicesOf(records.campaigns) })
  return (
    <section class="part" data-field="filters">
      <h2>{flowWords.who}</h2>
      {error && <Alert text={error} />}
      <Conditions
        label={flowWords.who}
        list={p.filters}
        logic={p.logic}
        empty={p.rules.length ? flowWords.onlyRules : p.stream_type === 'default' ? flowWords.everybodyElse : flowWords.everybody}
        lookup={lookup}
        on={(filters, logic) => on({ filters, logic })}
      />
      <Rules path={p} book={book} saved={records.saved} on={on} />
    </section>
  )
}

// `Where` edits what the visitors of the path get.
function Where({ path: p, book, records, wrong, self, on }: Props) {
  const error = errorAt(wrong, 'destinations')
  const setAction = (action: Path['action']) =>
    on({
      action,
      ...(action === 'lander'
        ? {}
        : { destinations: p.destinations.filter(d => (action === 'redirect' ? d.url : !isLander(d, book.known))) }),
      ...(action === 'nothing' && !p.response ? { response: { status: 404, body: '' } } : {}),
    })
  return (
    <section class="part" data-field="destinations">
      <h2>{flowWords.where}</h2>
      <div class="fields">
        <PathField name="action" wrong={wrong}>
          {w => <Select wired={w} value={p.action} options={options(flowWords.actions)} on={setAction} />}
        </PathField>
        {p.action !== 'nothing' && p.action !== 'campaign' && (
          <PathField name="transition" wrong={wrong}>
            {w => <Select wired={w} value={p.transition} options={options(flowWords.transitions)} on={transition => on({ transition })} />}
          </PathField>
        )}
      </div>
      {error && <Alert text={error} />}
      {p.action === 'nothing' ? (
        <Answer path={p} on={on} />
      ) : p.action === 'campaign' ? (
        <ComboField
          label={flowWords.fields.campaign_id}
          value={p.campaign_id ?? ''}
          choices={choicesOf(records.campaigns)?.filter(c => c.value !== self)}
          on={campaign_id => on({ campaign_id })}
        />
      ) : (
        <>
          <Destinations path={p} book={book} records={records} on={on} />
          {p.action === 'lander' && <CompareLine id={self} by="lander" path={p.id} />}
          <CompareLine id={self} by="offer" path={p.id} />
        </>
      )}
    </section>
  )
}

// `More` edits the weight, the rule group, the daily cap, and whether clicks are collected.
function More({ path: p, wrong, on }: Props) {
  const number = (name: 'weight' | 'rule_group', w: Wired, max?: number) => (
    <Input wired={w} type="number" min={0} max={max} value={String(p[name])} on={v => on({ [name]: Number(v) || 0 })} />
  )
  return (
    <Part title={t.nav.more}>
      <div class="fields">
        <PathField name="weight" hint={flowWords.weightHint} wrong={wrong}>
          {w => number('weight', w)}
        </PathField>
        {p.stream_type === 'regular' && (
          <PathField name="rule_group" hint={flowWords.groupHint} wrong={wrong}>
            {w => number('rule_group', w, 999)}
          </PathField>
        )}
        <PathField name="daily_cap" hint={flowWords.capHint} wrong={wrong}>
          {w => (
            <Input
              wired={w}
              type="number"
              min={1}
              value={p.daily_cap == null ? '' : String(p.daily_cap)}
              on={v => on({ daily_cap: v === '' ? null : Number(v) })}
            />
          )}
        </PathField>
        <Field label={flowWords.fields.collect_clicks!} hint={flowWords.collectHint}>
          {w => (
            <Switch
              wired={w}
              on={p.collect_clicks}
              label={flowWords.fields.collect_clicks!}
              set={collect_clicks => on({ collect_clicks })}
            />
          )}
        </Field>
      </div>
    </Part>
  )
}

// Answer edits what a visitor gets from a path with the action `nothing`.
const Answer = ({ path: p, on }: { path: Path; on: (c: Partial<Path>) => void }) => {
  const r = p.response ?? { status: 404 as const, body: '' }
  return (
    <div class="fields">
      <SelectField
        label={flowWords.status}
        value={String(r.status)}
        options={['404', '204', '200'].map(value => ({ value, label: flowWords.statuses[value]! }))}
        on={v => on({ response: { ...r, status: Number(v) as typeof r.status } })}
      />
      {r.status !== 204 && (
        <div class="across">
          <Field label={flowWords.bodyOf}>
            {w => <Area wired={w} value={r.body} max={20000} on={body => on({ response: { ...r, body } })} />}
          </Field>
        </div>
      )}
    </div>
  )
}
