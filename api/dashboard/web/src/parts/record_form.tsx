import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { Button } from './button.tsx'
import { useAttempt } from '../core/busy.ts'
import { asError } from '../core/call.ts'
import { usePress } from '../core/keys.ts'
import type { Latest } from '../core/latest.ts'
import { place } from '../core/router.ts'
import { t } from '../core/text.ts'
import { useUnsaved } from '../core/unsaved.ts'
import { forms } from '../words.gen.ts'
import { country } from '../core/format.ts'
import { Combobox } from './combobox.tsx'
import type { Choice, Option } from '../core/choices.ts'
import { Area, Field, FormError, Input, MoneyInput, Select, Switch, TagInput, wrongOf, type Wired } from './form.tsx'
import { Pairs, WordLists } from './pairs.tsx'
import { Conflicts, useRecordDraft, type Save } from './record_draft.tsx'
import { UrlInput } from './url_input.tsx'
import { Cancel } from './sheet.tsx'

export type Draft = Record<string, unknown>
type Base = {
  name: string
  label: string
  hint?: ComponentChildren | ((d: Draft) => ComponentChildren)
  wide?: boolean
  when?: (d: Draft) => boolean
  follow?: (v: unknown) => Draft // returns the other fields that a new value of this field sets
  check?: (d: Draft) => string | undefined // returns what is wrong with the field in the draft, or undefined
}
// Spec describes a field of a record's form.
export type Spec = Base &
  (
    | { kind: 'text' | 'area' | 'switch' | 'country' | 'date'; max?: number; mono?: boolean; secret?: boolean }
    | { kind: 'number'; min?: number; max?: number; whole?: boolean; none?: boolean; unit?: string }
    | { kind: 'money'; currency: (d: Draft) => string }
    | { kind: 'url'; postback?: boolean }
    | { kind: 'select'; options: Option[] }
    | { kind: 'combo'; choices: Choice[] | undefined; none?: string; free?: boolean }
    | { kind: 'tags'; known?: string[] }
    | { kind: 'group'; known?: string[] }
    | { kind: 'pairs'; keys?: Option[]; heads: [string, string] }
    | { kind: 'words'; keys: Option[] }
    | { kind: 'own'; render: (d: Draft, set: (name: string, v: unknown) => void, error?: string) => ComponentChildren }
  )

// needed returns a check for the field `name`, which must not be empty. `text` is its error message.
export const needed = (name: string, text: string) => (d: Draft) => (String(d[name] ?? '').trim() ? undefined : text)

export type Section = { title: string; text?: string; specs: Spec[]; folded?: boolean }

const countries: Choice[] = (forms.find(f => f.attributes.includes('country') && f.values.length)?.values ?? [])
  .map(v => ({ value: v, label: country(v), side: v }))
  .sort((a, b) => a.label.localeCompare(b.label))

type Props = {
  sections: Section[]
  value: Draft
  save: Save
  submit: string
  byCode?: Record<string, string>
  cancel?: () => void
  readOnly?: boolean
  foot?: ComponentChildren
  under?: ComponentChildren
  done?: ComponentChildren // the buttons that a saved record has until it is edited
  beside?: boolean // another form on the same screen is saved by the keyboard shortcut, so this form is not
  saveUnchanged?: boolean // a new record can be saved before a field has changed
  onDirty?: (dirty: boolean) => void
  latest?: () => Promise<Latest | undefined> // reads the record again before it is saved
}

// RecordForm edits a record with the fields in sections. With `latest`, a save keeps what another person has saved while the form
// was open. If both people have changed the same field, the form asks before it saves.
export function RecordForm({
  sections,
  value,
  save,
  submit,
  byCode,
  cancel,
  readOnly,
  foot,
  under,
  done,
  beside,
  saveUnchanged,
  onDirty,
  latest,
}: Props) {
  const el = useRef<HTMLFormElement>(null)
  const specs = sections.flatMap(s => s.specs),
    names = [...new Set(specs.map(s => s.name))],
    { draft, setDraft, base, changed, conflicts, setConflicts, store, adoptTheirs } = useRecordDraft(value, names),
    [checked, setChecked] = useState(false)
  const focus = (field: string) =>
    requestAnimationFrame(() =>
      el.current?.querySelector<HTMLElement>(`[data-field="${field}"] :is(input, select, textarea, button)`)?.focus(),
    )
  const { busy, wrong, setWrong, run } = useAttempt(e => {
    const found = wrongOf(asError(e), names, { ...(names.includes('name') && { duplicate_name: 'name' }), ...byCode })
    if (found.field) focus(found.field)
    return found
  })
  const wanted = useRef(place.value.query.get('field')).current
  useEffect(() => {
    if (wanted) focus(wanted) // the address of the page names this field
  }, [wanted])
  const fault = (s: Spec) => (!s.when || s.when(draft) ? s.check?.(draft) : undefined)
  const errorAt = (s: Spec) => (wrong?.field === s.name ? wrong.text : checked ? fault(s) : undefined)
  const edited = changed.length > 0,
    canSave = saveUnchanged || edited
  useUnsaved(() => edited && !readOnly)
  useLayoutEffect(() => {
    onDirty?.(edited) // in a layout effect, because the person may press Esc next and the sheet must then know of the edits
  }, [edited, onDirty])
  const set = (name: string, v: unknown, more?: Draft) => {
    setDraft(now => ({ ...now, ...more, [name]: v }))
    if (wrong?.field === name) setWrong(undefined)
  }
  const send = async () => {
    if (!canSave) return
    const first = specs.find(fault)
    setChecked(!!first)
    if (first) focus(first.name)
    else await run(() => store(latest, save))
  }
  usePress(e => {
    if (!beside && (e.ctrlKey || e.metaKey) && e.key === 's') {
      e.preventDefault()
      void send()
    }
  })
  const field = (s: Spec) =>
    (!s.when || s.when(draft)) && (
      <div key={s.name} data-field={s.name} class={s.wide || ['url', 'area', 'pairs', 'words', 'own'].includes(s.kind) ? 'across' : ''}>
        {s.kind === 'own' ? (
          s.render(draft, set, errorAt(s))
        ) : (
          <Field
            label={s.label}
            hint={typeof s.hint === 'function' ? s.hint(draft) : s.hint}
            error={errorAt(s)}
            group={s.kind === 'pairs' || s.kind === 'words'}>
            {wired => control(s, draft, v => set(s.name, v, s.follow?.(v)), wired)}
          </Field>
        )}
      </div>
    )
  return (
    <form
      ref={el}
      class="record"
      noValidate
      onSubmit={e => {
        e.preventDefault()
        void send()
      }}>
      <fieldset disabled={readOnly}>
        {sections.map(s =>
          s.folded ? (
            <details key={s.title} open={s.specs.some(f => errorAt(f) || f.name === wanted) || undefined}>
              <summary>{s.title}</summary>
              {s.text && <p class="dim">{s.text}</p>}
              <div class="fields">{s.specs.map(field)}</div>
            </details>
          ) : (
            <section key={s.title} class="part">
              <h2>{s.title}</h2>
              {s.text && <p class="dim">{s.text}</p>}
              <div class="fields">{s.specs.map(field)}</div>
            </section>
          ),
        )}
        <FormError wrong={wrong} />
        <Conflicts
          of={conflicts}
          labels={Object.fromEntries(specs.map(s => [s.name, s.label]))}
          show={c => displayText(specs.find(s => s.name === c.name)!, c.theirs)}
          adoptTheirs={c => {
            adoptTheirs(c)
            setWrong(undefined)
          }}
        />
      </fieldset>
      {under}
      {!readOnly && (
        <div class={'row formfoot' + (canSave ? ' dirty' : '')}>
          {foot}
          <span class="grow" />
          {done && !edited ? (
            done
          ) : (
            <>
              {changed.length > 0 && !saveUnchanged && <span class="dim fine">{t.parts.unsaved(changed.length)}</span>}
              {cancel ? (
                <Cancel close={cancel} />
              ) : (
                changed.length > 0 && (
                  <Button
                    onClick={() => {
                      setDraft(base)
                      setConflicts([])
                      setWrong(undefined)
                      setChecked(false)
                    }}
                    text={t.parts.discard}
                  />
                )
              )}
              <Button type="submit" look="primary" disabled={busy || !canSave} text={submit} letter={beside ? undefined : 'Ctrl S'} />
            </>
          )}
        </div>
      )}
    </form>
  )
}

function displayText(s: Spec, v: unknown): string | undefined {
  if (v == null || v === '') return undefined
  switch (s.kind) {
    case 'select':
      return s.options.find(o => o.value === v)?.label
    case 'combo':
      return s.choices?.find(c => c.value === v)?.label
    case 'country':
      return country(String(v))
  }
}

const text = (v: unknown) => (v == null ? '' : String(v))

function control(s: Exclude<Spec, { kind: 'own' }>, draft: Draft, on: (v: unknown) => void, wired: Wired): ComponentChildren {
  const v = draft[s.name]
  switch (s.kind) {
    case 'text':
      return (
        <Input
          wired={wired}
          type={s.secret ? 'password' : 'text'}
          class={s.mono ? 'mono' : ''}
          maxLength={s.max ?? 255}
          value={text(v)}
          on={on}
          autocomplete="off"
          spellcheck={s.mono ? false : undefined}
        />
      )
    case 'date':
      return <Input wired={wired} type="date" value={text(v)} on={on} />
    case 'area':
      return <Area wired={wired} value={text(v)} on={on} max={s.max} />
    case 'switch':
      return <Switch wired={wired} on={v === true} label={s.label} set={on} />
    case 'number':
      return (
        <span class="row">
          <Input
            wired={wired}
            type="number"
            inputMode={s.whole ? 'numeric' : 'decimal'}
            min={s.min}
            max={s.max}
            step={s.whole ? 1 : 'any'}
            value={text(v)}
            on={n => on(n === '' ? (s.none ? null : '') : Number(n))}
          />
          {s.unit && <span class="dim">{s.unit}</span>}
        </span>
      )
    case 'money':
      return <MoneyInput wired={wired} currency={s.currency(draft)} value={v == null || v === '' ? null : Number(v)} on={on} />
    case 'url':
      return <UrlInput wired={wired} label={s.label} postback={s.postback} value={text(v)} on={on} />
    case 'select':
      return <Select wired={wired} value={text(v)} options={s.options} on={on} />
    case 'country':
      return <Combobox wired={wired} label={s.label} value={text(v)} shown={v ? country(text(v)) : ''} choices={countries} clear on={on} />
    case 'combo':
      return (
        <Combobox
          wired={wired}
          label={s.label}
          value={text(v)}
          shown={v ? undefined : (s.none ?? '')}
          choices={s.choices && (s.none ? [{ value: '', label: s.none }, ...s.choices] : s.choices)}
          free={s.free}
          on={o => on(o)}
        />
      )
    case 'tags':
      return <TagInput wired={wired} label={s.label} values={(v as string[] | undefined) ?? []} known={s.known} on={on} />
    case 'group':
      return (
        <Combobox
          wired={wired}
          label={s.label}
          value={text(v)}
          choices={(s.known ?? []).map(k => ({ value: k, label: k }))}
          free
          clear
          empty={t.parts.typeNew}
          on={on}
        />
      )
    case 'pairs':
      return <Pairs label={s.label} heads={s.heads} keys={s.keys} value={(v as Record<string, string> | undefined) ?? {}} on={on} />
    case 'words':
      return <WordLists keys={s.keys} value={(v as Record<string, string[]> | undefined) ?? {}} on={on} />
  }
}
