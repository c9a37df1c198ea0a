import { amountOf, point } from '../core/amount.ts'
import { useId, useState } from 'preact/hooks'
import type { Option } from '../core/choices.ts'
import type { ComponentChildren, ComponentProps } from 'preact'
import { ApiError } from '../core/call.ts'
import { t } from '../core/text.ts'
import { Icon } from './icons.tsx'
import { sentence } from '../core/errors.ts'

// When a field of a number gets the focus, its text is selected, so that typing replaces it. If it gets the focus by a click, the
// browser then sets the caret and thereby ends the selection. The click event therefore selects the text again.
const numbers = '[type=number], [inputmode=decimal], [inputmode=numeric]'
let entered: EventTarget | null = null
addEventListener('focusin', e => {
  entered = e.target instanceof HTMLInputElement && e.target.matches(numbers) ? e.target : null
  if (entered) (entered as HTMLInputElement).select()
})
addEventListener('click', e => {
  if (e.target === entered) (entered as HTMLInputElement | null)?.select()
  entered = null
})

// Wired holds the attributes that connect a control to its field.
export type Wired = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: boolean }
type FieldProps = {
  label: string
  hint?: ComponentChildren
  error?: string
  wide?: boolean
  group?: boolean
  children: (wired: Wired) => ComponentChildren
}

export function Field({ label, hint, error, wide, group, children }: FieldProps) {
  const id = useId(),
    described = [hint && id + 'h', error && id + 'e'].filter(Boolean).join(' ') || undefined
  return (
    <div class={'field' + (wide ? ' across' : '')} role={group ? 'group' : undefined} aria-labelledby={group ? id + 'l' : undefined}>
      {group ? (
        <span class="label" id={id + 'l'}>
          {label}
        </span>
      ) : (
        <label class="label" for={id}>
          {label}
        </label>
      )}
      {children({ id, 'aria-describedby': described, 'aria-invalid': error ? true : undefined })}
      {hint && (
        <small class="dim" id={id + 'h'}>
          {hint}
        </small>
      )}
      {error && (
        <small class="bad" id={id + 'e'} role="alert">
          {error}
        </small>
      )}
    </div>
  )
}

type InputProps = Omit<ComponentProps<'input'>, 'onInput' | 'value' | 'class'> & {
  class?: string
  value: string
  on: (v: string) => void
  wired?: Wired
}
// Input is a field of one line.
export const Input = ({ value, on, wired, class: more = '', ...rest }: InputProps) => (
  <input {...(rest as object)} {...wired} class={'input ' + more} value={value} onInput={e => on(e.currentTarget.value)} />
)

type AreaProps = { value: string; on: (v: string) => void; wired?: Wired; rows?: number; max?: number }

export const Area = ({ value, on, wired, rows = 3, max }: AreaProps) => (
  <textarea {...wired} class="input area" rows={rows} maxLength={max} value={value} onInput={e => on(e.currentTarget.value)} />
)

type SelectProps<V> = { value: V; options: Option[]; on: (v: V) => void; wired?: Wired; label?: string }

// Select is the browser's own select, which works best on a phone.
export const Select = <V extends string>({ value, options, on, wired, label }: SelectProps<V>) => (
  <span class="select">
    <select {...wired} aria-label={label} value={value} onChange={e => on(e.currentTarget.value as V)}>
      {options.map(o => (
        <option key={o.value} value={o.value} selected={o.value === value}>
          {o.label}
        </option>
      ))}
    </select>
    <Icon name="down" />
  </span>
)

type Around = Omit<FieldProps, 'children'>

export const InputField = ({ label, hint, error, wide, group, ...rest }: Around & InputProps) => (
  <Field {...{ label, hint, error, wide, group }}>{wired => <Input {...rest} wired={wired} />}</Field>
)

export const SelectField = <V extends string>({ label, hint, error, wide, group, ...rest }: Around & SelectProps<V>) => (
  <Field {...{ label, hint, error, wide, group }}>{wired => <Select {...rest} wired={wired} />}</Field>
)

type SwitchProps = { on: boolean; set: (on: boolean) => void; label: string; disabled?: boolean; shown?: boolean; wired?: Wired }

// Switch turns something on or off. With `shown`, its label is visible next to it.
export const Switch = ({ on, set, label, disabled, shown, wired }: SwitchProps) => (
  <button
    type="button"
    {...wired}
    class="switcher"
    role="switch"
    aria-checked={on}
    aria-label={label}
    disabled={disabled}
    onClick={() => set(!on)}>
    <span class={'switch' + (on ? ' on' : '')} aria-hidden="true" />
    {shown && <span>{label}</span>}
  </button>
)

type SegProps<V> = { value: V; options: { value: V; label: string }[]; on: (v: V) => void; label: string }

// Seg chooses one of a few options, which are all in sight.
export const Seg = <V extends string>({ value, options, on, label }: SegProps<V>) => (
  <span class="seg" role="group" aria-label={label}>
    {options.map(o => (
      <button key={o.value} type="button" aria-pressed={o.value === value} onClick={() => on(o.value)}>
        {o.label}
      </button>
    ))}
  </span>
)

// editing wraps setters so that an edit clears the error message, because the message was about the previous value.
export const editing =
  (setWrong: (wrong: undefined) => void) =>
  <T,>(set: (v: T) => void) =>
  (v: T) => {
    setWrong(undefined)
    set(v)
  }

type MoneyProps = { value: number | null; currency: string; on: (v: number | null) => void; wired?: Wired }

// moneyText returns an amount for a field, in the language of the person: 4.2 as 4.20 or 4,20. 12 and 0.005 keep their digits.
const moneyText = (v: number | null) => (v == null ? '' : (/\.\d$/.test(String(v)) ? v.toFixed(2) : String(v)).replace('.', point))

// MoneyInput takes an amount. It keeps the typed text, so that a half-typed number stays.
export function MoneyInput({ value, currency, on, wired }: MoneyProps) {
  const [text, setText] = useState(moneyText(value))
  const read = (v: string) => {
    setText(v)
    on(amountOf(v))
  }
  return (
    <span class="money">
      <span class="dim" aria-hidden="true">
        {currency}
      </span>
      <input
        {...wired}
        class="input num"
        inputMode="decimal"
        value={value == null || amountOf(text) === value ? text : moneyText(value)}
        onInput={e => read(e.currentTarget.value)}
      />
      {value == null && text.trim() && <span class="bad">{t.parts.badAmount}</span>}
    </span>
  )
}

type TagProps = {
  values: string[]
  on: (v: string[]) => void
  wired?: Wired
  most?: number
  known?: string[] // texts that the browser suggests
  label: string
  show?: (v: string) => string
}

// Tag is one of the chosen values of a field. Its cross removes the value and moves the focus to the field, so that a person can
// go on typing.
export const Tag = ({ text, remove }: { text: string; remove: () => void }) => (
  <span class="tag">
    {text}
    <button
      type="button"
      aria-label={t.parts.remove(text)}
      onClick={e => {
        e.currentTarget.closest('.many, .tags')?.querySelector('input')?.focus()
        remove()
      }}>
      <Icon name="x" />
    </button>
  </span>
)

// TagInput edits texts as chips. Enter, a comma or leaving the field adds the typed text.
export function TagInput({ values, on, wired, most = 20, known = [], label, show = v => v }: TagProps) {
  const [text, setText] = useState(''),
    list = useId()
  const add = (raw: string) => {
    const next = [...values]
    for (const one of raw.split(/[,\n]/)) {
      const v = one.trim()
      if (v && !next.includes(v) && next.length < most) next.push(v)
    }
    setText('')
    if (next.length !== values.length) on(next)
  }
  return (
    <span class="input tags">
      {values.map(v => (
        <Tag key={v} text={show(v)} remove={() => on(values.filter(o => o !== v))} />
      ))}
      <input
        {...wired}
        aria-label={wired ? undefined : label}
        list={known.length ? list : undefined}
        value={text}
        onInput={e => setText(e.currentTarget.value)}
        onBlur={() => add(text)}
        onPaste={e => {
          const all = e.clipboardData?.getData('text') ?? ''
          if (/[,\n]/.test(all)) {
            e.preventDefault()
            add(all)
          }
        }}
        onKeyDown={e => {
          if (e.key === 'Enter' || e.key === ',') {
            if (text.trim()) e.preventDefault()
            add(text)
          } else if (e.key === 'Backspace' && !text && values.length) on(values.slice(0, -1))
        }}
      />
      {known.length > 0 && (
        <datalist id={list}>
          {known
            .filter(k => !values.includes(k))
            .map(k => (
              <option key={k} value={k} />
            ))}
        </datalist>
      )}
    </span>
  )
}

// Wrong is an error of a field, or of the form as a whole.
export type Wrong = { field?: string; text: string; request?: string }

// wrongOf finds the field that an error is about.
export function wrongOf(e: ApiError, fields: string[], byCode: Record<string, string> = {}): Wrong {
  const named = /^([a-z_]+)\b/.exec(e.message)?.[1] ?? '',
    guess = e.code.replace(/^invalid_|_required$|_taken$/g, '')
  const field = byCode[e.code] ?? [named, guess, guess + '_url'].find(name => fields.includes(name))
  return { field, text: t.fieldCodes[e.code] ?? sentence(e), request: e.request }
}

// FormError shows an error that belongs to no field.
export const FormError = ({ wrong }: { wrong?: Wrong }) =>
  wrong && !wrong.field ? (
    <p class="bad formerror" role="alert">
      {wrong.text}
      {wrong.request && <small class="dim"> {t.failed.request(wrong.request)}</small>}
    </p>
  ) : null
