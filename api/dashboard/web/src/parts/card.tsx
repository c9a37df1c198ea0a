import type { ComponentChildren } from 'preact'

type Props = { title: string; note?: string; beside?: ComponentChildren; look?: string; children: ComponentChildren }

// Card is a section with a heading. `look` has additional CSS classes.
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

// Part is a section of a card or a sheet, with a heading. `look` has additional CSS classes.
export const Part = ({ title, look, children }: Pick<Props, 'title' | 'look' | 'children'>) => (
  <section class={look ? 'part ' + look : 'part'}>
    <h2>{title}</h2>
    {children}
  </section>
)

export const Fact = ({ name, value, look }: { name: string; value: ComponentChildren; look?: string }) => (
  <>
    <dt>{name}</dt>
    <dd class={look}>{value}</dd>
  </>
)
