import { useState } from 'preact/hooks'
import type { Condition } from '../../api.gen.ts'
import { ApiError } from '../../core/call.ts'
import { t } from '../../core/text.ts'
import { flowWords } from '../../text/flow.ts'
import { Button } from '../../parts/button.tsx'
import { Part } from '../../parts/card.tsx'
import { Combobox, ComboMany } from '../../parts/combobox.tsx'
import { Conditions, Sentence } from '../../parts/condition.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Area, Field, Input, MoneyInput, Seg, Select, Switch, TagInput } from '../../parts/form.tsx'
import { Histogram } from '../../parts/histogram.tsx'
import { Pairs } from '../../parts/pairs.tsx'
import { QR } from '../../parts/qr.tsx'
import { Ask, Sheet } from '../../parts/sheet.tsx'
import { Bone, Empty, Failed } from '../../parts/state.tsx'
import { Table } from '../../parts/table.tsx'
import { toast } from '../../core/toast.ts'
import { Trace } from '../../parts/trace.tsx'
import { UrlInput } from '../../parts/url_input.tsx'

const rows = Array.from({ length: 3000 }, (_, i) => ({ id: String(i), name: `Row ${i + 1}`, n: (i * 37) % 1000 }))
const fruits = ['Apple', 'Apricot', 'Banana', 'Cherry', 'Date', 'Elderberry'].map(v => ({ value: v.toLowerCase(), label: v }))
const scores = [10, 25, 30, 45, 60, 75, 100].map((score, i) => ({ score, clicks: (i * 37 + 20) % 90 }))
const step = { path_id: '1', path: 'Path', via: 'regular', logic: 'and' as const }

// Gallery shows single parts of the dashboard, for developing them and for the tests that visit this screen. The texts of the
// gallery itself are example data, so they are not translated.
export const Gallery = () => (
  <div class="grid gallery">
    <Fields />
    <ConditionList />
    <Scores />
    <Traces />
    <Rows />
    <Dialogs />
    <States />
  </div>
)

function Fields() {
  const [text, setText] = useState('Text'),
    [enabled, setEnabled] = useState(true),
    [fruit, setFruit] = useState('banana'),
    [chosen, setChosen] = useState(['apple']),
    [tags, setTags] = useState(['de', 'mobile']),
    [amount, setAmount] = useState<number | null>(2.5),
    [url, setUrl] = useState('https://example.com/?c={clickid}&z={zone}&p={payout}'),
    [pairs, setPairs] = useState<Record<string, string>>({ zone: '{zone}' })
  return (
    <Part look="card" title="Field">
      <div class="fields">
        <Field label="Input" hint="A hint">
          {w => <Input wired={w} value={text} on={setText} />}
        </Field>
        <Field label="Wrong" error={t.fieldCodes.duplicate_name}>
          {w => <Input wired={w} value={text} on={setText} />}
        </Field>
        <Field label="Select">{w => <Select wired={w} value={fruit} options={fruits} on={setFruit} />}</Field>
        <Field label="Combobox">{w => <Combobox wired={w} label="Combobox" value={fruit} choices={fruits} on={setFruit} />}</Field>
        <Field label="Several">{w => <ComboMany wired={w} label="Several" values={chosen} choices={fruits} on={setChosen} />}</Field>
        <Field label="Tags">{w => <TagInput wired={w} label="Tags" values={tags} on={setTags} />}</Field>
        <Field label="Money">{w => <MoneyInput wired={w} currency="EUR" value={amount} on={setAmount} />}</Field>
        <Field label="Switch">{w => <Switch wired={w} on={enabled} set={setEnabled} label="Switch" />}</Field>
        <Field label="Segmented" group>
          {() => <Seg label="Segmented" value={fruit} options={fruits.slice(0, 3)} on={setFruit} />}
        </Field>
        <div class="across">
          <Field label="Address">{w => <UrlInput wired={w} label="Address" value={url} on={setUrl} />}</Field>
        </div>
        <div class="across">
          <Field label="Area">{w => <Area wired={w} value={text} on={setText} />}</Field>
        </div>
        <div class="across">
          <Field label="Pairs" group>
            {() => <Pairs label="Pairs" heads={['Name', 'Macro']} value={pairs} on={setPairs} />}
          </Field>
        </div>
      </div>
    </Part>
  )
}

function ConditionList() {
  const [list, setList] = useState<Condition[]>([
      { attribute: 'country', operator: 'in', value: ['DE', 'AT', 'CH'] },
      { attribute: 'hour_of_day', operator: 'between', value: [8, 20] },
      { attribute: 'is_bot', operator: 'equals', value: false },
      { attribute: 'schedule', operator: 'equals', value: [{ days: [6, 7], from: '00:00', to: '24:00' }] },
    ]),
    [logic, setLogic] = useState<'and' | 'or'>('and')
  return (
    <Part look="card" title="Conditions">
      <Conditions
        label="Conditions"
        list={list}
        logic={logic}
        lookup={() => null}
        empty={flowWords.everybody}
        on={(newList, newLogic) => {
          setList(newList)
          setLogic(newLogic)
        }}
      />
      <div>
        {list.map((c, i) => (
          <Sentence key={i} of={c} />
        ))}
      </div>
    </Part>
  )
}

function Scores() {
  const [threshold, setThreshold] = useState(50)
  return (
    <Part look="card" title="Histogram">
      <Histogram
        scores={scores}
        threshold={threshold}
        saved={60}
        min={20}
        max={95}
        on={setThreshold}
        label="Threshold"
        says={String}
        summary="Scores"
      />
    </Part>
  )
}

const Traces = () => (
  <Part look="card" title="Trace">
    <Trace
      names={{}}
      decision={null}
      campaigns={[
        {
          campaign_id: '1',
          campaign: 'Campaign',
          via: 'regular',
          blocked: null,
          steps: [
            {
              ...step,
              taken: false,
              reason: 'conditions',
              units: [
                {
                  rule: '',
                  matched: false,
                  conditions: [{ attribute: 'country', operator: 'in', value: ['DE'], seen: 'US', known: true, matched: false }],
                },
              ],
            },
            { ...step, path_id: '2', taken: true, reason: null, units: [] },
          ],
        },
        {
          campaign_id: '2',
          campaign: 'Blocked here',
          via: 'fallback_url',
          blocked: { list_id: '3', scope: 'campaign', dimension: 'sub1', value: 'zone-5' },
          steps: [],
        },
      ]}
    />
  </Part>
)

function Rows() {
  const [selected, setSelected] = useState<Set<string>>(new Set())
  return (
    <section class="card report lists">
      <Table
        label="Table"
        rows={rows}
        keyOf={r => r.id}
        nameOf={r => r.name}
        selected={selected}
        onSelect={setSelected}
        columns={[
          { name: 'name', label: 'Name', kind: 'first', phone: true, left: true, cell: r => <span class="name">{r.name}</span> },
          { name: 'n', label: 'Number', phone: true, cell: r => r.n },
        ]}
      />
    </section>
  )
}

function Dialogs() {
  const [open, setOpen] = useState(''),
    close = () => setOpen('')
  return (
    <>
      <Part look="card" title="Said">
        <div class="row wraps">
          <Button data-open="toast" onClick={() => toast('Said', { undo: () => toast('Undone') })} text="Toast" />
          <Button data-open="sheet" onClick={() => setOpen('sheet')} text="Sheet" />
          <Button data-open="side" onClick={() => setOpen('side')} text="Side" />
          <Button look="danger" data-open="ask" onClick={() => setOpen('ask')} text="Ask" />
        </div>
        <Copy text="https://example.com/" label="Copy" />
        <Copy lines text={'two\nlines'} label="Lines" />
        <QR text="https://example.com/" label="QR" />
      </Part>
      {open === 'sheet' && <Example title="Sheet" close={close} />}
      {open === 'side' && <Example side title="Side" close={close} />}
      {open === 'ask' && <Ask title="Ask" text="Text" go="Go" danger name="name" on={() => undefined} close={close} />}
    </>
  )
}

const Example = ({ title, side, close }: { title: string; side?: boolean; close: () => void }) => (
  <Sheet side={side} title={title} close={close}>
    <div class="body">
      <p>{title}</p>
    </div>
  </Sheet>
)

const States = () => (
  <section class="card">
    <Empty title="Empty">
      <Button text="Button" />
    </Empty>
    <Failed error={new ApiError('unavailable', 503, '', 'r-1')} again={() => undefined} />
    <div class="part">
      <Bone w={200} />
    </div>
  </section>
)
