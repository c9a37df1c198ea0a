import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { t } from '../core/text.ts'
import { Icon } from './icons.tsx'
import { failed } from './toast.tsx'

type Props = {
  title: string
  close: () => void
  children: ComponentChildren
  foot?: ComponentChildren
  side?: boolean
  short?: boolean
  reads?: boolean
  beside?: ComponentChildren
  keep?: () => boolean
}

const fields =
  ':is(input:not([type=hidden], [type=checkbox], [type=radio], [type=file], .hidden), select, textarea):not([readonly], :disabled)'
const ways = [fields, '.body .copy > .btn', ':is(footer, .formfoot) .btn.primary:enabled', 'footer .btn:enabled']

// begin puts the focus where the work begins: at the first field, else at what copies or goes on. Without one, where that
// is out of sight, or on a screen that one touches, where a field would open the keyboard, it stays where the browser has it.
function begin(el: HTMLDialogElement, side?: boolean) {
  if (matchMedia('(pointer: coarse)').matches) return
  const found = ways.slice(0, side ? 1 : undefined).reduce<HTMLElement | null>((was, way) => was ?? el.querySelector(way), null),
    at = found?.getBoundingClientRect()
  if (at && at.height > 0 && at.top >= 0 && at.bottom < innerHeight - 60) found!.focus({ preventScroll: true })
}

// Sheet lies over the screen: in the middle, or on the right side. The browser gives the focus back when it closes. keep reports
// whether a click outside it, or Esc, would lose something. reads: it is for reading, with keys of one letter, so no field gets
// the focus. short: it has little content.
export function Sheet({ title, close, children, foot, side, short, reads, beside, keep }: Props) {
  const el = useRef<HTMLDialogElement>(null),
    id = useId()
  useLayoutEffect(() => {
    if (el.current!.open) return
    el.current!.showModal()
    if (!reads) begin(el.current!, side)
  }, []) // runs before the effects of the content, because it takes the focus
  return (
    <dialog
      ref={el}
      class={side ? 'side-sheet' : ''}
      aria-labelledby={id}
      onClose={close}
      onCancel={e => {
        if (e.target === el.current && keep?.()) e.preventDefault()
      }}
      onMouseDown={e => {
        if (e.target === el.current && !keep?.()) el.current?.close()
      }}>
      <section class={'card sheet' + (short ? ' short' : '')}>
        <header>
          <h2 id={id} title={title}>
            {title}
          </h2>
          {beside}
          <button type="button" class="btn quiet icon" aria-label={t.close} onClick={() => el.current?.close()}>
            <Icon name="x" />
          </button>
        </header>
        {children}
        {foot && <footer class="row">{foot}</footer>}
      </section>
    </dialog>
  )
}

type FormProps = {
  title: string
  close: () => void
  keep?: () => boolean
  short?: boolean
  go: string
  off: boolean
  send: () => unknown
  children: ComponentChildren
}

// FormSheet asks for a few things. go is on the button that sends them, which is off while it cannot.
export function FormSheet({ title, close, keep, short, go, off, send, children }: FormProps) {
  const id = useId()
  return (
    <Sheet
      title={title}
      close={close}
      keep={keep}
      short={short}
      foot={
        <>
          <span class="grow" />
          <button type="button" class="btn" onClick={close}>
            {t.parts.cancel}
          </button>
          <button type="submit" form={id} class="btn primary" disabled={off}>
            {go}
          </button>
        </>
      }>
      <form
        id={id}
        class="body"
        onSubmit={e => {
          e.preventDefault()
          void send()
        }}>
        {children}
      </form>
    </Sheet>
  )
}

// Shown shows something for the only time. It stays open until the person confirms.
export const Shown = ({
  title,
  close,
  done,
  short,
  children,
}: {
  title: string
  close: () => void
  done: string
  short?: boolean
  children: ComponentChildren
}) => (
  <Sheet
    title={title}
    close={close}
    keep={() => true}
    short={short}
    foot={
      <>
        <span class="grow" />
        <button type="button" class="btn primary" onClick={close}>
          {done}
        </button>
      </>
    }>
    <div class="body">{children}</div>
  </Sheet>
)

type AskProps = {
  title: string
  text?: ComponentChildren
  go: string
  danger?: boolean
  name?: string
  on: () => Promise<unknown> | void
  wrong?: (e: unknown) => void
  close: () => void
  children?: ComponentChildren
}

// Ask is a question before something that cannot be undone. With a name it goes on when that has been typed. It stays open
// when that fails, and says so, by wrong if there is one.
export function Ask({ title, text, go, danger, name, on, wrong = failed, close, children }: AskProps) {
  const [typed, set] = useState(''),
    [busy, wait] = useState(false),
    id = useId()
  const send = async () => {
    wait(true)
    try {
      await on()
      close()
    } catch (e) {
      wrong(e)
      wait(false)
    }
  }
  return (
    <Sheet
      title={title}
      close={close}
      short={!children}
      foot={
        <>
          <span class="grow" />
          <button type="button" class="btn" onClick={close}>
            {t.parts.cancel}
          </button>
          <button
            type="button"
            class={'btn ' + (danger ? 'danger' : 'primary')}
            disabled={busy || (!!name && typed.trim() !== name)}
            onClick={() => void send()}>
            {go}
          </button>
        </>
      }>
      <div class="body">
        {text && <p>{text}</p>}
        {children}
        {name && (
          <div class="field">
            <label class="label" for={id}>
              {t.parts.typeName(name)}
            </label>
            <input id={id} class="input" value={typed} autocomplete="off" onInput={e => set(e.currentTarget.value)} />
          </div>
        )}
      </div>
    </Sheet>
  )
}
