import { useState } from 'preact/hooks'
import type { BotEntryRow } from '../../api.gen.ts'
import { Button } from '../../parts/button.tsx'
import { useBusy } from '../../core/busy.ts'
import { asError, call, type ApiError } from '../../core/call.ts'
import { canWrite } from '../../core/can.ts'
import { choicesOf, useCampaigns } from '../../core/choices.ts'
import { listOf } from '../../core/condition.ts'
import { ago } from '../../core/dates.ts'
import { count } from '../../core/format.ts'
import { useKeys } from '../../core/keys.ts'
import { use, useAll } from '../../core/query.ts'
import { change, place } from '../../core/router.ts'
import { dimensionName, subKeys, useScopeNames } from '../../core/subs.ts'
import { t } from '../../core/text.ts'
import { span } from '../../core/window.ts'
import { w } from '../../text/bots.ts'
import { useAsk } from '../../parts/ask.tsx'
import { ComboField } from '../../parts/combobox.tsx'
import { DropArea } from '../../parts/drop.tsx'
import { Area, Field, FormError, Seg, wrongOf, type Wrong, InputField, SelectField } from '../../parts/form.tsx'
import { Cancel, Sheet } from '../../parts/sheet.tsx'
import { Empty, Loading } from '../../parts/state.tsx'
import { Table, type Column } from '../../parts/table.tsx'
import { handleSubmit } from '../../core/submit.ts'
import { toastAndReload } from '../../core/toast.ts'
import { Two } from '../../parts/two.tsx'
import { w as correctionWords } from '../../text/corrections.ts'

const attributes = ['ip', 'ip_range', 'asn', 'country', 'isp', 'user_agent', 'referrer']
const attributeName = (a: string) => w.attributes[a] ?? t.dimensions[a] ?? a
const operatorsOf = (a: string) => (a === 'ip' || a === 'ip_range' ? ['equals', 'in_cidr'] : ['equals', 'contains', 'regex'])
// usual maps an attribute to the operator that a new entry with this attribute starts with.
const usual: Record<string, string> = { ip_range: 'in_cidr', user_agent: 'contains', referrer: 'contains', isp: 'contains' }
const mostBytes = 4_000_000
const changedRows = ['bot-lists', 'bot-detection'] // the paths of the calls whose cached answers are outdated after a change of the lists

function textOf(e: BotEntryRow) {
  const values = listOf(e.value).map(String),
    first = values.slice(0, 3).join(', ')
  const what = e.attribute === 'ip_range' ? t.dimensions.ip : attributeName(e.attribute)
  return `${what} ${w.operators[e.operator] ?? e.operator} ${e.value_count > 3 ? w.andMore(first, count(e.value_count - 3)) : first}`
}

// BotLists shows the entries of the allow and deny lists, which overrule the score.
export function BotLists() {
  const only = place.value.query.get('list') ?? '',
    may = canWrite(),
    [adding, setAdding] = useState(false),
    [question, ask] = useAsk()
  const window = { from: span.value.from, to: span.value.to },
    list = useAll('GET /bot-lists', window),
    sums = use('GET /bot-lists', window).data,
    campaigns = useCampaigns(),
    names = new Map(campaigns?.map(c => [c.id, c.name]))
  useKeys([{ key: 'N', text: w.add }], e => {
    if (e.key === 'n' && may) {
      setAdding(true)
      return true
    }
  })
  const remove = (r: BotEntryRow) =>
    call('DELETE /bot-lists', { query: { id: r.id } }).then(() => toastAndReload(w.removed, ...changedRows))
  const askToRemove = (r: BotEntryRow) =>
    ask({ title: w.removeTitle, text: w.removeText(textOf(r)), go: t.lists.remove, danger: true, on: () => remove(r) })
  const rows = list.rows?.filter(r => !only || r.list_type === only)
  const columns: Column<BotEntryRow>[] = [
    {
      name: 'list',
      label: w.list,
      left: true,
      phone: true,
      width: 90,
      cell: r => <span class={'tag ' + (r.list_type === 'deny' ? 'bad' : 'good')}>{r.list_type === 'deny' ? w.deny : w.allow}</span>,
    },
    {
      name: 'what',
      label: w.what,
      left: true,
      phone: true,
      kind: 'first',
      cell: r => <Two a={textOf(r)} b={[r.note, ago(r.created_at)].filter(Boolean).join(' · ')} />,
    },
    { name: 'values', label: w.values, width: 80, cell: r => count(r.value_count) },
    {
      name: 'where',
      label: w.where,
      left: true,
      cell: r => (r.campaign_id ? (names.get(r.campaign_id) ?? t.gone) : <span class="dim">{w.everywhere}</span>),
    },
    { name: 'blocked', label: w.blocked, width: 90, cell: r => (r.list_type === 'deny' ? count(r.blocked) : <span class="dim">—</span>) },
    {
      name: 'acts',
      label: '',
      phone: true,
      kind: 'more',
      cell: r => may && <Button look="sm quiet icon" aria-label={w.removeOf(textOf(r))} onClick={() => askToRemove(r)} icon="trash" />,
    },
  ]
  const button = may && <Button look="primary" onClick={() => setAdding(true)} icon="plus" text={w.add} letter="N" />
  return (
    <>
      {list.rows && list.rows.length > 0 && (
        <div class="line filters">
          <Seg
            label={w.which}
            value={only}
            options={[
              { value: '', label: t.lists.all },
              { value: 'allow', label: w.allow },
              { value: 'deny', label: w.deny },
            ]}
            on={v => change({ list: v || null }, true)}
          />
          {sums && <span class="dim">{w.blockedIn(sums.blocked, count(sums.blocked))}</span>}
          <span class="grow" />
          {button}
        </div>
      )}
      <section class="card report lists">
        {!rows ? (
          <Loading of={list} height={220} />
        ) : list.rows!.length === 0 ? (
          <Empty title={w.empty} more={w.emptyMore}>
            {button}
          </Empty>
        ) : rows.length === 0 ? (
          <Empty title={t.lists.nothing}>
            <Button onClick={() => change({ list: null })} text={t.reports.clearFilters} />
          </Empty>
        ) : (
          <Table label={w.tabs.lists!} rows={rows} columns={columns} keyOf={r => r.id} nameOf={textOf} height={44} tall />
        )}
      </section>
      {adding && <NewEntry campaigns={choicesOf(campaigns)} close={() => setAdding(false)} />}
      {question}
    </>
  )
}

// isEverybody reports whether the service refused an entry because it matches all or most visitors.
const isEverybody = (e: ApiError) => e.code === 'invalid_input' && e.message.startsWith('the entry is for everybody')

type Entry = { list_type: string; attribute: string; operator: string; text: string; note: string; campaign_id: string; everybody: boolean }
const emptyEntry: Entry = { list_type: 'deny', attribute: 'ip', operator: 'equals', text: '', note: '', campaign_id: '', everybody: false }
const fieldByCode = {
  value_required: 'value',
  invalid_regex: 'value',
  too_long: 'value',
  invalid_operator: 'operator',
  invalid_campaign: 'campaign',
  invalid_input: 'value',
}

function NewEntry({ campaigns, close }: { campaigns: ReturnType<typeof choicesOf>; close: () => void }) {
  const [entry, setEntry] = useState(emptyEntry),
    [wrong, setWrong] = useState<Wrong>(),
    [matchesEverybody, setMatchesEverybody] = useState(false),
    [busy, run] = useBusy()
  const lines = entry.text.split('\n').filter(l => l.replace(/#.*/, '').trim()).length
  const set = (change: Partial<Entry>) => {
    setWrong(undefined)
    setEntry(now => ({ ...now, ...change }))
  }
  const add = async () => {
    setWrong(undefined)
    const { campaign_id, everybody, ...rest } = entry
    const added = await call('POST /bot-lists', {
      body: { ...rest, ...(campaign_id ? { campaign_id } : {}), ...(everybody ? { everybody } : {}) },
    })
    toastAndReload(w.added(added.value_count, count(added.value_count)), ...changedRows)
    close()
  }
  const explain = (e: unknown) => {
    const error = asError(e),
      found = wrongOf(error, ['note'], fieldByCode)
    setMatchesEverybody(isEverybody(error))
    setWrong({ ...found, text: isEverybody(error) ? w.errors.everybody! : (w.errors[error.code] ?? found.text) })
  }
  return (
    <Sheet title={w.add} close={close} keep={() => entry.text.trim() !== ''}>
      <form class="record" noValidate onSubmit={handleSubmit(() => run(add, explain))}>
        <div class="part">
          <EntryFields of={entry} set={set} wrong={wrong} lines={lines} campaigns={campaigns} matchesEverybody={matchesEverybody} />
        </div>
        <FormError wrong={wrong} />
        <div class="row formfoot">
          <span class="grow" />
          <Cancel close={close} />
          <Button type="submit" look="primary" disabled={busy || lines === 0} text={w.create} />
        </div>
      </form>
    </Sheet>
  )
}

type FieldsProps = {
  of: Entry
  set: (change: Partial<Entry>) => void
  wrong?: Wrong
  lines: number
  campaigns: ReturnType<typeof choicesOf>
  matchesEverybody: boolean
}

function EntryFields({ of: entry, set, wrong, lines, campaigns, matchesEverybody }: FieldsProps) {
  const errorAt = (field: string) => (wrong?.field === field ? wrong.text : undefined),
    names = useScopeNames(entry.campaign_id ? [entry.campaign_id] : [], [])
  return (
    <div class="fields">
      <div class="across">
        <Field label={w.list} group>
          {() => (
            <Seg
              label={w.list}
              value={entry.list_type}
              options={[
                { value: 'deny', label: w.deny },
                { value: 'allow', label: w.allow },
              ]}
              on={list_type => set({ list_type })}
            />
          )}
        </Field>
      </div>
      <SelectField
        label={w.attribute}
        value={entry.attribute}
        options={[...attributes, ...subKeys].map(value => ({
          value,
          label: names[value] ? dimensionName(value, names) : attributeName(value),
        }))}
        on={attribute => set({ attribute, operator: usual[attribute] ?? 'equals' })}
      />
      <SelectField
        label={w.operator}
        error={errorAt('operator')}
        value={entry.operator}
        options={operatorsOf(entry.attribute).map(value => ({ value, label: w.operators[value]! }))}
        on={operator => set({ operator })}
      />
      <DropArea
        wide
        label={correctionWords.file}
        accept=".txt,.csv,text/plain"
        onFile={file => {
          if (file.size <= mostBytes) void file.text().then(text => set({ text }))
        }}
        under={
          matchesEverybody && (
            <label class="row">
              <input type="checkbox" checked={entry.everybody} onChange={() => set({ everybody: !entry.everybody })} />
              {w.everybody}
            </label>
          )
        }>
        <Field
          label={w.values}
          hint={
            <>
              {w.valuesHint} {lines > 0 && w.valueCount(lines, count(lines))}
            </>
          }
          error={errorAt('value')}>
          {wired => <Area wired={wired} rows={6} value={entry.text} max={mostBytes} on={text => set({ text })} />}
        </Field>
      </DropArea>
      <ComboField
        label={t.dimensions.campaign_id}
        error={errorAt('campaign')}
        value={entry.campaign_id}
        none={w.everywhere}
        choices={campaigns}
        on={campaign_id => set({ campaign_id })}
      />
      <InputField label={w.note} hint={w.noteHint} error={errorAt('note')} value={entry.note} maxLength={500} on={note => set({ note })} />
    </div>
  )
}
