import { useContext, useRef, useState } from 'preact/hooks'
import type { Condition } from '../api.gen.ts'
import { Button } from './button.tsx'
import {
  attributeName,
  attributes,
  formOf,
  fresh,
  listOf,
  operatorName,
  operatorsOf,
  plain,
  sentenceOf,
  valueName,
  type Slot,
} from '../core/condition.ts'
import { t } from '../core/text.ts'
import { Combobox, ComboMany } from './combobox.tsx'
import type { Choice } from '../core/choices.ts'
import { Input, Seg, Select, TagInput } from './form.tsx'
import type { Lookup } from '../core/lookup.ts'
import { Named, useUsual } from '../core/subs.ts'

export function Sentence({ of, names }: { of: Condition; names?: Record<string, string> }) {
  const s = sentenceOf(of, names, useContext(Named))
  return (
    <span class="cond" title={`${s.attribute} ${s.operator} ${s.joined}`}>
      <b>{s.attribute}</b> <em>{s.operator}</em> {s.joined && <b>{s.joined}</b>}
    </span>
  )
}

type Logic = 'and' | 'or'
type ListProps = {
  list: Condition[]
  logic: Logic
  on: (list: Condition[], logic: Logic) => void
  lookup: Lookup
  label: string
  empty: string
}

// Conditions edits a list of conditions as sentences, and whether all of them or any of them must hold.
export function Conditions({ list, logic, on, lookup, label, empty }: ListProps) {
  const box = useRef<HTMLDivElement>(null),
    set = (list: Condition[]) => on(list, logic)
  const add = () => {
    set([...list, fresh()])
    requestAnimationFrame(() => {
      const fields = box.current?.querySelectorAll<HTMLInputElement>('.condition > .combo:first-child input') ?? []
      fields[fields.length - 1]?.focus()
      fields[fields.length - 1]?.select()
    })
  }
  return (
    <div class="conditions" role="group" aria-label={label} ref={box}>
      {list.length > 1 && (
        <Seg
          label={t.conditions.match}
          value={logic}
          options={[
            { value: 'and', label: t.conditions.all },
            { value: 'or', label: t.conditions.any },
          ]}
          on={v => on(list, v)}
        />
      )}
      {list.length === 0 && <p class="dim">{empty}</p>}
      {list.map((c, i) => (
        <Row
          key={i}
          of={c}
          on={changed => set(list.map((o, j) => (j === i ? changed : o)))}
          remove={() => set(list.filter((_, j) => j !== i))}
          lookup={lookup}
        />
      ))}
      <div>
        <Button look="sm" onClick={add} icon="plus" text={t.conditions.add} />
      </div>
    </div>
  )
}

function Row({ of: c, on, remove, lookup }: { of: Condition; on: (c: Condition) => void; remove: () => void; lookup: Lookup }) {
  const operators = operatorsOf(c.attribute),
    subs = useContext(Named),
    name = attributeName(c.attribute, subs),
    [opened, setOpened] = useState(false),
    isUsual = useUsual(opened),
    choices: Choice[] = attributes.map(a => ({ value: a, label: attributeName(a, subs), rare: !isUsual(a) }))
  const change = (attribute: string) => {
    if (attribute && attribute !== c.attribute) on(fresh(attribute))
  }
  const setOperator = (operator: string) => {
    const wasTruth = formOf(c.attribute, c.operator)?.kind === 'truth',
      isTruth = formOf(c.attribute, operator)?.kind === 'truth'
    let value = c.value
    if (operator === 'is_set' || (isTruth && !wasTruth)) value = true
    else if (wasTruth && !isTruth) value = []
    else if (operator === 'between') value = listOf(c.value).slice(0, 2)
    on({ ...c, operator, value })
  }
  return (
    <div class="condition" role="group" aria-label={name}>
      <Combobox
        label={t.conditions.attribute}
        value={c.attribute}
        shown={name}
        choices={choices}
        on={change}
        onFocus={() => setOpened(true)}
        free
      />
      <Select
        label={t.conditions.operator}
        value={plain(c.operator)}
        options={operators.map(o => ({ value: o, label: operatorName(o, formOf(c.attribute, o)?.kind) }))}
        on={setOperator}
      />
      <Value of={c} on={value => on({ ...c, value })} lookup={lookup} name={name} />
      <Button look="quiet icon" aria-label={t.conditions.remove(name)} onClick={remove} icon="x" />
    </div>
  )
}

function Value({ of: c, on, lookup, name }: { of: Condition; on: (v: unknown) => void; lookup: Lookup; name: string }) {
  const form = formOf(c.attribute, c.operator),
    values = listOf(c.value),
    label = t.conditions.valueOf(name)
  if (form?.kind === 'truth')
    return (
      <Seg
        label={label}
        value={c.value === false ? 'no' : 'yes'}
        options={[
          { value: 'yes', label: t.conditions.yes },
          { value: 'no', label: t.conditions.no },
        ]}
        on={v => on(v === 'yes')}
      />
    )
  if (form?.kind === 'schedule') return <Slots list={values as Slot[]} on={on} />
  const type = form?.kind === 'date' ? 'date' : 'text',
    inputMode = form?.kind === 'number' ? 'decimal' : undefined
  const input = (label: string, value: unknown, on: (v: string) => void) => (
    <Input type={type} inputMode={inputMode} aria-label={label} value={String(value ?? '')} on={on} />
  )
  if (c.operator === 'between')
    return (
      <span class="row pairof">
        {input(t.window.from, values[0], v => on([v, values[1] ?? '']))}
        <span class="dim">{t.conditions.to}</span>
        {input(t.conditions.to, values[1], v => on([values[0] ?? '', v]))}
      </span>
    )
  if (['gt', 'gte', 'lt', 'lte'].includes(c.operator) || type === 'date') return input(label, values[0], v => on(v === '' ? [] : [v]))
  if (form?.values.length)
    return (
      <ComboMany
        label={label}
        values={values.map(String)}
        choices={form.values.map(v => ({ value: v, label: valueName(c.attribute, v), side: c.attribute === 'country' ? v : undefined }))}
        free={form.open}
        on={on}
      />
    )
  const known = ['equals', 'not_equals', 'in', 'not_in'].includes(c.operator) ? lookup(c.attribute) : null
  if (known !== null) return <ComboMany label={label} values={values.map(String)} choices={known} free on={on} />
  return <TagInput label={label} values={values.map(String)} on={on} most={200} />
}

function Slots({ list, on }: { list: Slot[]; on: (v: Slot[]) => void }) {
  const set = (i: number, s: Slot) => on(list.map((o, j) => (j === i ? s : o)))
  return (
    <span class="slots">
      {list.map((s, i) => (
        <span key={i} class="row" role="group" aria-label={t.conditions.time(i + 1)}>
          <span class="seg days">
            {[1, 2, 3, 4, 5, 6, 7].map(d => (
              <button
                key={d}
                type="button"
                aria-pressed={!s.days?.length || s.days.includes(d)}
                title={t.weekdays[d]}
                onClick={() => {
                  const now = s.days?.length ? s.days : [1, 2, 3, 4, 5, 6, 7],
                    next = now.includes(d) ? now.filter(o => o !== d) : [...now, d].sort()
                  set(i, { ...s, days: next.length ? next : [d] })
                }}>
                {t.weekdays[d]!.slice(0, 3)}
              </button>
            ))}
          </span>
          <Input type="time" aria-label={t.window.from} value={s.from ?? '00:00'} on={from => set(i, { ...s, from })} />
          <Input
            type="time"
            aria-label={t.conditions.to}
            value={s.to === '24:00' ? '00:00' : (s.to ?? '00:00')}
            on={to => set(i, { ...s, to: to === '00:00' ? '24:00' : to })}
          />
          {list.length > 1 && (
            <Button
              look="quiet icon"
              aria-label={t.conditions.removeTime(i + 1)}
              onClick={() => on(list.filter((_, j) => j !== i))}
              icon="x"
            />
          )}
        </span>
      ))}
      <Button
        look="sm quiet"
        onClick={() => on([...list, { days: [6, 7], from: '00:00', to: '24:00' }])}
        icon="plus"
        text={t.conditions.addTime}
      />
    </span>
  )
}
