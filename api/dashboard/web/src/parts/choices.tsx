import { useEffect, useRef, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { bestFirst } from '../core/search.ts'
import { useSources } from '../core/choices.ts'
import { joined, usualIn } from '../core/subs.ts'
import { t } from '../core/text.ts'
import { Item } from './menu.tsx'

type Props = {
  list: string[]
  usual?: (v: string) => boolean // whether the value is listed while the search is empty
  text: (v: string) => string // what the search looks in
  show?: (v: string) => ComponentChildren // what a line shows, if it is not the text
  pick: (v: string) => void
  on?: (v: string) => boolean // whether a value is chosen
  side?: (v: string) => string // the text at the end of the line
  more?: (typed: string) => string[] // values made from the typed text
  hint?: string // the text in the empty search field
}

const touch = matchMedia('(pointer: coarse)') // on a touch screen, a field with the focus opens the keyboard

// Choices shows a list with a search in a menu. The search gets the focus, except on touch screens. Enter in the search picks the
// first line, which fits the typed text best.
export function Choices({ list, usual, text, show = text, pick, on, side, more, hint }: Props) {
  const el = useRef<HTMLInputElement>(null),
    [search, setSearch] = useState(''),
    typed = search.trim().toLowerCase(),
    found = [
      ...bestFirst(
        list.filter(v => (typed ? text(v).toLowerCase().includes(typed) : (usual?.(v) ?? true))),
        typed,
        text,
      ),
      ...(more?.(typed) ?? []),
    ]
  useEffect(() => {
    if (!touch.matches) el.current!.focus({ preventScroll: true })
  }, [])
  return (
    <>
      <input
        ref={el}
        class="input search"
        type="search"
        aria-label={t.reports.search}
        placeholder={hint ?? t.reports.search}
        value={search}
        onInput={e => setSearch(e.currentTarget.value)}
      />
      <div class="searches">
        {found.map(v => (
          <Item
            key={v}
            pressed={on?.(v)}
            on={() => {
              setSearch('')
              pick(v)
            }}>
            {show(v)}
            {side && (
              <>
                <span class="grow" />
                <span class="dim num">{side(v)}</span>
              </>
            )}
          </Item>
        ))}
        {found.length === 0 && <p class="dim none">{t.parts.nothingFound}</p>}
      </div>
    </>
  )
}

// DimensionChoices shows dimensions or attributes. Sub-parameters with a high number (see usualIn in core/subs.ts) that no source
// uses are found only by the search. The search looks in the names that any source gives a sub-parameter.
export function DimensionChoices({ text, ...p }: Omit<Props, 'usual' | 'show'>) {
  const sources = useSources() ?? [],
    names = joined(sources.map(s => s.sub_names))
  const all = (v: string) => sources.map(s => s.sub_names[v]).filter(Boolean)
  const isNameless = (v: string) => !!names[v] && text(v) === t.dimensions[v]
  return (
    <Choices
      {...p}
      usual={usualIn(sources)}
      text={v => [...all(v), text(v)].join(' ')}
      show={v => (
        <>
          {text(v)}
          {isNameless(v) && <span class="dim cut">{names[v]}</span>}
        </>
      )}
    />
  )
}
