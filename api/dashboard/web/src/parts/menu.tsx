import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from './icons.tsx'

type Props = {
  icon?: IconName // shown before the label
  label: ComponentChildren
  name?: string
  kind?: string
  class?: string
  children: (close: () => void) => ComponentChildren
  onOpen?: () => void
}

// useMenuKeys returns a handler for the keys of a menu: the arrows move among its lines, Enter in its search presses the first
// line, and a character that is typed on a line goes to the search.
function useMenuKeys(box: { current: HTMLDivElement | null }) {
  return (e: KeyboardEvent) => {
    const el = box.current!,
      search = el.querySelector<HTMLInputElement>('[type=search]'),
      lines = [...el.querySelectorAll<HTMLElement>('.item')],
      at = lines.indexOf(document.activeElement as HTMLElement),
      onLine = at >= 0 || e.target === search || !el.contains(e.target as Node)
    if (!el.matches(':popover-open') || !onLine || e.ctrlKey || e.metaKey || e.altKey) return
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      e.preventDefault()
      const next = at + (e.key === 'ArrowDown' ? 1 : -1)
      ;(next < 0 ? (search ?? lines[0]) : (lines[next] ?? lines.at(-1)))?.focus()
    } else if (e.key === 'Enter' && e.target === search) {
      e.preventDefault()
      lines[0]?.click()
      search?.focus()
    } else if (search && at >= 0 && e.key.length === 1 && e.key !== ' ') search.focus()
  }
}

// Menu is a button that opens its content in the browser's own popover. Esc or a click outside closes it, and the focus goes back
// to the button. If a form is at the top of the content, its first field gets the focus, except on touch screens.
export function Menu({ icon, label, name, kind = 'btn', children, onOpen, ...rest }: Props) {
  const id = useId(),
    box = useRef<HTMLDivElement>(null),
    button = useRef<HTMLButtonElement>(null),
    [shown, setShown] = useState(false),
    press = useMenuKeys(box)
  const close = () => box.current?.hidePopover()
  // useEffect would run only after the page is drawn. The browser may open the menu before, and the menu would then stay empty.
  useLayoutEffect(() => {
    const el = box.current!
    const show = (e: Event) => {
      if ((e as ToggleEvent).newState === 'open') setShown(true)
    }
    const place = (e: Event) => {
      if ((e as ToggleEvent).newState !== 'open') return setShown(false) // only after closing: the browser first returns the focus
      onOpen?.()
      const at = button.current!.getBoundingClientRect()
      requestAnimationFrame(() => {
        const width = el.offsetWidth,
          room = document.documentElement.clientWidth - 8
        el.style.left = Math.max(8, Math.min(at.left, room - width)) + 'px'
        el.style.top = Math.max(8, Math.min(at.bottom + 4, innerHeight - el.offsetHeight - 8)) + 'px'
      })
    }
    el.addEventListener('beforetoggle', show)
    el.addEventListener('toggle', place)
    return () => {
      el.removeEventListener('beforetoggle', show)
      el.removeEventListener('toggle', place)
    }
  }, [onOpen])
  useEffect(() => {
    if (shown && !matchMedia('(pointer: coarse)').matches)
      box.current!.querySelector<HTMLElement>(':scope > form:first-child .input')?.focus({ preventScroll: true })
  }, [shown])
  return (
    <>
      <button
        ref={button}
        type="button"
        class={kind + (rest.class ? ' ' + rest.class : '')}
        popovertarget={id}
        aria-haspopup="dialog"
        onKeyDown={press}>
        {icon && <Icon name={icon} />}
        {label}
      </button>
      <div ref={box} id={id} popover="auto" class="menu" role="dialog" aria-label={name} onKeyDown={press}>
        {shown && children(close)}
      </div>
    </>
  )
}

type ItemProps = { on: () => void; close?: () => void; pressed?: boolean; children: ComponentChildren }

export const Item = ({ on, close, pressed, children }: ItemProps) => (
  <button
    type="button"
    class="item"
    aria-pressed={pressed}
    onClick={() => {
      close?.()
      on()
    }}>
    {children}
  </button>
)

export const Tick = ({ on }: { on: boolean }) => (
  <span style={on ? '' : 'visibility:hidden'}>
    <Icon name="check" />
  </span>
)

type RowAction = { label: string; key?: string; on: () => void; bad?: boolean }
type RowMenuProps = { name: string; kind?: string; actions: (RowAction | false)[] }

// RowMenu shows the actions on a row behind a button with three dots. `key` is the key of the keyboard that does the same as an
// action.
export const RowMenu = ({ name, kind = 'btn sm quiet icon', actions }: RowMenuProps) => (
  <Menu kind={kind} name={name} icon="more" label={<span class="hidden">{name}</span>}>
    {close =>
      actions.map(
        a =>
          a && (
            <Item key={a.label} close={close} on={a.on}>
              {a.bad ? <span class="bad">{a.label}</span> : a.label}
              {a.key && (
                <>
                  <span class="grow" />
                  <kbd>{a.key}</kbd>
                </>
              )}
            </Item>
          ),
      )
    }
  </Menu>
)
