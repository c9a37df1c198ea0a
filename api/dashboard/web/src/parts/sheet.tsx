import { useContext, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { createContext, type ComponentChildren, type ComponentProps } from 'preact'
import { Button } from './button.tsx'
import { useBusy } from '../core/busy.ts'
import { t } from '../core/text.ts'
import { confirmDiscard, leaving, useUnsaved } from '../core/unsaved.ts'
import { failed } from '../core/toast.ts'

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
  stays?: boolean
}

const fields =
  ':is(input:not([type=hidden], [type=checkbox], [type=radio], [type=file], .hidden), select, textarea):not([readonly], :disabled)'
// firstFocus holds selectors of the controls that may get the focus when a sheet opens, in order of preference.
const firstFocus = [fields, '.body .copy > .btn', ':is(footer, .formfoot) .btn.primary:enabled', 'footer .btn:enabled']

// begin focuses the first field of a sheet, except on touch screens. In a sheet without fields it focuses the button that copies
// or continues, unless the sheet is at the side.
function begin(el: HTMLDialogElement, side?: boolean) {
  if (matchMedia('(pointer: coarse)').matches) return
  const found = firstFocus.slice(0, side ? 1 : undefined).reduce<HTMLElement | null>((was, next) => was ?? el.querySelector(next), null),
    at = found?.getBoundingClientRect()
  if (at && at.height > 0 && at.top >= 0 && at.bottom < innerHeight - 60) found!.focus({ preventScroll: true })
}

// Shut closes the sheet around a control, and asks first if edits would be lost.
const Shut = createContext<(() => void) | undefined>(undefined)

// Sheet lies over the screen: in the middle, or with `side` on the right. `keep` reports whether closing would lose edits. The
// person is then asked first. A sheet with `stays` ignores Esc and clicks outside. A sheet with `reads` is for reading and has
// shortcuts of one letter. No field gets the focus in it, because the letters would then be typed into the field.
export function Sheet({ title, close, children, foot, side, short, reads, beside, keep, stays }: Props) {
  const el = useRef<HTMLDialogElement>(null),
    agreed = useRef(false), // whether the person has agreed to lose the edits
    id = useId()
  useUnsaved(keep)
  const shut = () =>
    confirmDiscard(() => {
      agreed.current = true
      el.current?.close()
    }, keep?.() ?? false)
  useLayoutEffect(() => {
    if (el.current!.open) return
    el.current!.showModal()
    if (!reads) begin(el.current!, side)
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the sheet is opened once
  }, []) // a layout effect: it takes the focus before the effects of the content run, which may move the focus on
  return (
    <dialog
      ref={el}
      class={side ? 'side-sheet' : ''}
      aria-labelledby={id}
      onClose={() => {
        if (agreed.current || !keep?.()) return close()
        el.current!.showModal() // a second Esc closes a dialog even if onCancel objects
        shut()
      }}
      onCancel={e => {
        if (e.target !== el.current || !e.cancelable || (!stays && !keep?.())) return
        e.preventDefault()
        if (!stays) shut()
      }}
      onMouseDown={e => {
        if (e.target === el.current && !stays) shut()
      }}>
      <section class={'card sheet' + (short ? ' short' : '')}>
        <header>
          <h2 id={id} title={title}>
            {title}
          </h2>
          {beside}
          <Button look="quiet icon" aria-label={t.close} onClick={shut} icon="x" />
        </header>
        <Shut.Provider value={shut}>
          {children}
          {foot && <footer class="row">{foot}</footer>}
        </Shut.Provider>
      </section>
    </dialog>
  )
}

// Cancel closes the sheet that it is in, like the cross of the sheet.
export const Cancel = ({ close, text = t.parts.cancel }: { close: () => void; text?: string }) => (
  <Button onClick={useContext(Shut) ?? close} text={text} />
)

// Foot shows the button that cancels, and the button that does what the sheet is for.
export const Foot = ({ close, back, ...go }: { close: () => void; back?: string } & ComponentProps<typeof Button>) => (
  <>
    <span class="grow" />
    <Cancel close={close} text={back} />
    <Button {...go} />
  </>
)

type FormProps = Pick<Props, 'title' | 'close' | 'keep' | 'short' | 'children'> & {
  go: string
  off: boolean
  send: () => unknown
}

// FormSheet is a sheet with a form. `go` is the text of the button that sends the form.
export function FormSheet({ go, off, send, children, ...sheet }: FormProps) {
  const id = useId()
  return (
    <Sheet {...sheet} foot={<Foot close={sheet.close} type="submit" form={id} look="primary" disabled={off} text={go} />}>
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

type ShownProps = Pick<Props, 'title' | 'close' | 'short' | 'children'> & { done: string }

// Shown shows something that is never shown again, such as a secret. Esc and clicks outside do not close it.
export const Shown = ({ title, close, done, short, children }: ShownProps) => (
  <Sheet
    title={title}
    close={close}
    stays
    short={short}
    foot={
      <>
        <span class="grow" />
        <Button look="primary" onClick={close} text={done} />
      </>
    }>
    <div class="body">{children}</div>
  </Sheet>
)

type AskProps = {
  title: string
  text?: ComponentChildren
  go: string
  back?: string
  danger?: boolean
  name?: string
  on: () => Promise<unknown> | void
  wrong?: (e: unknown) => void
  close: () => void
  children?: ComponentChildren
}

// Ask asks the person to confirm an action. With `name`, the person must type the name first. If the action fails, the question
// stays open and `wrong` shows the error.
export function Ask({ title, text, go, back, danger, name, on, wrong = failed, close, children }: AskProps) {
  const [typed, setTyped] = useState(''),
    [busy, run] = useBusy(),
    id = useId()
  const send = () =>
    run(async () => {
      await on()
      close()
    }, wrong)
  return (
    <Sheet
      title={title}
      close={close}
      short={!children}
      foot={
        <Foot
          close={close}
          back={back}
          look={danger ? 'danger' : 'primary'}
          disabled={busy || (!!name && typed.trim() !== name)}
          onClick={() => void send()}
          text={go}
        />
      }>
      <div class="body">
        {text && <p>{text}</p>}
        {children}
        {name && (
          <div class="field">
            <label class="label" for={id}>
              {t.parts.typeName(name)}
            </label>
            <input id={id} class="input" value={typed} autocomplete="off" onInput={e => setTyped(e.currentTarget.value)} />
          </div>
        )}
      </div>
    </Sheet>
  )
}

// Leaving asks whether edits that are not saved may be lost. If the person agrees, the action that loses them runs first, and then
// `close` closes the question. The action may have opened a new question, so `close` does nothing if another question is open.
export const Leaving = () => {
  const go = leaving.value
  return go ? (
    <Ask
      key={go}
      title={t.parts.leaveTitle}
      text={t.parts.leaveText}
      go={t.parts.discard}
      back={t.parts.stay}
      danger
      on={go}
      close={() => {
        if (leaving.value === go) leaving.value = null
      }}
    />
  ) : null
}
