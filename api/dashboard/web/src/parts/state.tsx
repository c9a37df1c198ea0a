import { useEffect, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { to } from '../core/router.ts'
import { Button, Link } from './button.tsx'
import { Sign } from './icons.tsx'
import type { ApiError } from '../core/call.ts'
import { t } from '../core/text.ts'
import { sentence } from '../core/errors.ts'

// Failed is shown in place of content that could not be loaded.
export function Failed({ error, again }: { error: ApiError; again: () => void }) {
  return (
    <div class="failed" role="alert">
      <Sign name="warn" tone="warn" />
      <div class="grow">
        <div class="t">{sentence(error)}</div>
        {error.request && <div class="d">{t.failed.request(error.request)}</div>}
      </div>
      <Button look="sm" onClick={again} text={t.failed.again} />
    </div>
  )
}

// Late shows its content after 150 ms, so that nothing flashes if the answer comes quickly.
export function Late({ children }: { children: ComponentChildren }) {
  const [visible, setVisible] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setVisible(true), 150)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div style={visible ? '' : 'visibility:hidden'} aria-busy="true">
      {children}
    </div>
  )
}

// Alert is a sentence that says what is wrong. A screen reader reads it immediately.
export const Alert = ({ text, look = 'bad' }: { text: string; look?: string }) => (
  <p class={look} role="alert">
    {text}
  </p>
)

type LoadingProps = { of: { error: ApiError | undefined; again: () => void }; height: number; style?: string }

// Loading is shown in place of content that is not loaded yet: a grey area of some height, or the error.
export const Loading = ({ of, height, style = 'margin:14px' }: LoadingProps) =>
  of.error ? (
    <Failed error={of.error} again={of.again} />
  ) : (
    <Late>
      <div class="skeleton" style={`height:${height}px;${style}`} />
    </Late>
  )

export const LoadingCard = (p: LoadingProps) => (
  <section class="card">
    <Loading {...p} />
  </section>
)

export const Bone = ({ w, h = 10 }: { w: number | string; h?: number }) => (
  <span class="skeleton" style={`display:inline-block;max-width:100%;width:${typeof w === 'number' ? w + 'px' : w};height:${h}px`} />
)

type EmptyProps = { title: string; more?: ComponentChildren; icon?: ComponentChildren; children?: ComponentChildren }

// Empty is shown in place of content that does not exist yet. `title` says what is missing, `more` explains it, and the children are
// the next step, such as a button.
export const Empty = ({ title, more, icon, children }: EmptyProps) => (
  <div class="empty">
    {icon && <span class="ico good">{icon}</span>}
    <p>{title}</p>
    {more && <p class="dim">{more}</p>}
    {children}
  </div>
)

export const EmptyCard = (p: EmptyProps) => (
  <section class="card">
    <Empty {...p} />
  </section>
)

// NoPlan says that the plan of the account lacks something, and links to the plans.
export const NoPlan = ({ text, link }: { text: string; link: string }) => (
  <section class="card row notice">
    <Sign name="warn" tone="warn" />
    <span class="grow">{text}</span>
    <Link look="sm" href={to('/app/plan')} text={link} />
  </section>
)
