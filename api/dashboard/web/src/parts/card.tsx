import type { ComponentChildren } from 'preact'

type Props = { title: string; note?: string; beside?: ComponentChildren; look?: string; children: ComponentChildren }

// Card is a section with a heading. note is small text next to the heading. beside is shown at the other end of its line. look has
// more classes.
export const Card = ({ title, note, beside, look, children }: Props) => (
  <section class={look ? 'card ' + look : 'card'}>
    <header>
      <h2>{title}</h2>
      {note && <span class="dim fine">{note}</span>}
      {beside && <span class="grow" />}
      {beside}
    </header>
    {children}
  </section>
)
