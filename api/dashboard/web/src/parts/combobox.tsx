import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { bestFirst } from '../core/search.ts'
import { t } from '../core/text.ts'
import { Icon } from './icons.tsx'
import type { Choice } from '../core/choices.ts'
import { Field, Tag, type Wired } from './form.tsx'

type Props = {
  value: string
  shown?: string
  choices: Choice[] | undefined
  on: (value: string, label: string) => void
  label: string
  wired?: Wired
  placeholder?: string
  empty?: ComponentChildren
  free?: boolean
  make?: (text: string) => Choice | undefined // an additional choice for a typed text that is not the label of a shown choice
  clear?: boolean
  onSearch?: (text: string) => void
  onFocus?: () => void
}
const most = 60 // maximum number of matching choices that are shown at a time

// fits reports whether a choice is listed for a typed text in lower case. "TikTok" is also listed for "tiktok ads".
const fits = (c: Choice, search: string) => {
  const label = c.label.toLowerCase()
  return label.includes(search) || c.value.toLowerCase() === search || (label.length > 2 && search.startsWith(label + ' '))
}

// Combobox is a text field that picks one of many choices. With `free`, any text is allowed.
export function Combobox(p: Props) {
  const id = useId(),
    list = useRef<HTMLUListElement>(null),
    input = useRef<HTMLInputElement>(null)
  const [open, setOpen] = useState(false),
    [text, setText] = useState<string | null>(null),
    [active, setActive] = useState(0)
  const label = p.shown ?? p.choices?.find(c => c.value === p.value)?.label ?? p.value
  const search = (text ?? '').trim().toLowerCase()
  const matching = bestFirst(
    (p.choices ?? []).filter(c => (search ? fits(c, search) : !c.rare)),
    search,
    c => c.label,
  )
  const found = matching.slice(0, most),
    typed = (text ?? '').trim()
  const own = typed && !found.some(c => c.label.toLowerCase() === search) ? p.make?.(typed) : undefined
  if (own) found.push(own)
  const close = () => {
    setOpen(false)
    setText(null)
    setActive(0)
  }
  const pick = (c: Choice) => {
    p.on(c.value, c.label)
    close()
  }
  useEffect(() => {
    if (open) list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active, open])
  useEffect(() => {
    if (!open || !list.current || !input.current) return
    const box = input.current.getBoundingClientRect(),
      el = list.current
    el.showPopover?.()
    const below = innerHeight - box.bottom - 12,
      tall = Math.min(280, Math.max(below, box.top - 12))
    el.style.left = Math.min(box.left, innerWidth - el.offsetWidth - 8) + 'px'
    el.style.minWidth = box.width + 'px'
    el.style.maxWidth = Math.max(box.width, 420) + 'px'
    el.style.maxHeight = tall + 'px'
    el.style.top = below >= 160 ? box.bottom + 3 + 'px' : 'auto'
    el.style.bottom = below >= 160 ? 'auto' : innerHeight - box.top + 3 + 'px'
  }, [open])
  const press = (e: KeyboardEvent) => {
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      e.preventDefault()
      if (!open) setOpen(true)
      else setActive(Math.max(0, Math.min(found.length - 1, active + (e.key === 'ArrowDown' ? 1 : -1))))
    } else if (e.key === 'Enter' && open) {
      e.preventDefault()
      if (found[active]) pick(found[active])
      else if (p.free && text) {
        p.on(text.trim(), text.trim())
        close()
      }
    } else if (e.key === 'Escape' && open) {
      e.preventDefault()
      e.stopPropagation()
      close()
    }
  }
  const commitText = () => {
    if (p.free && text?.trim() && text.trim() !== label) p.on(text.trim(), text.trim())
    close()
  }
  return (
    <span class="combo">
      <input
        ref={input}
        {...p.wired}
        class="input"
        role="combobox"
        aria-label={p.wired ? undefined : p.label}
        aria-expanded={open}
        aria-controls={open ? id + 'l' : undefined}
        aria-autocomplete="list"
        aria-activedescendant={open && found[active] ? id + active : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder={p.placeholder ?? (open ? t.parts.typeToFind : undefined)}
        value={text ?? (open && !p.value ? '' : label)}
        onFocus={() => p.onFocus?.()}
        onClick={e => {
          if (!open) e.currentTarget.select() // so that what is typed replaces the text
          setOpen(true)
        }}
        onBlur={commitText}
        onKeyDown={press}
        onInput={e => {
          setText(e.currentTarget.value)
          setOpen(true)
          setActive(0)
          p.onSearch?.(e.currentTarget.value)
          if (p.clear && e.currentTarget.value === '') p.on('', '')
        }}
      />
      <Icon name="down" />
      {open && (
        <ul
          ref={list}
          id={id + 'l'}
          class="menu options"
          role="listbox"
          aria-label={p.label}
          popover="manual"
          onMouseDown={e => e.preventDefault()}>
          {found.map((c, i) => (
            <li
              key={c.value}
              id={id + i}
              role="option"
              aria-selected={i === active}
              class={'item' + (i === active ? ' at' : '')}
              onClick={() => pick(c)}>
              <span class="cut">{c.label}</span>
              {c.side && (
                <>
                  <span class="grow" />
                  <span class="dim num">{c.side}</span>
                </>
              )}
            </li>
          ))}
          {matching.length > most && (
            <li role="option" aria-selected={false} aria-disabled="true" class="item dim">
              {t.parts.moreChoices(matching.length - most)}
            </li>
          )}
          {found.length === 0 && (
            <li role="option" aria-selected={false} aria-disabled="true" class="item dim">
              {p.choices ? (p.free && text ? t.parts.useText(text) : (p.empty ?? t.parts.nothingFound)) : t.loading}
            </li>
          )}
        </ul>
      )}
    </span>
  )
}

type ManyProps = Pick<Props, 'label' | 'choices' | 'free' | 'onSearch' | 'onFocus' | 'wired'> & {
  values: string[]
  on: (values: string[]) => void
}

type FieldProps = Omit<Props, 'wired'> & { none?: string; hint?: ComponentChildren; error?: string }

// ComboField is a field with a combobox. `none`, if given, is the text of an additional choice that stands for no value.
export const ComboField = ({ none, hint, error, choices, ...p }: FieldProps) => (
  <Field label={p.label} hint={hint} error={error}>
    {wired => (
      <Combobox
        shown={p.value || p.placeholder ? undefined : none}
        {...p}
        wired={wired}
        choices={choices && none !== undefined ? [{ value: '', label: none }, ...choices] : choices}
      />
    )}
  </Field>
)

export function ComboMany({ values, choices, on, ...rest }: ManyProps) {
  const name = (v: string) => choices?.find(c => c.value === v)?.label ?? v
  return (
    <span class="many">
      {values.map(v => (
        <Tag key={v} text={name(v)} remove={() => on(values.filter(o => o !== v))} />
      ))}
      <Combobox
        {...rest}
        value=""
        choices={choices?.filter(c => !values.includes(c.value))}
        placeholder={values.length ? t.parts.addMore : t.parts.choose}
        on={v => {
          if (v && !values.includes(v)) on([...values, v])
        }}
      />
    </span>
  )
}
