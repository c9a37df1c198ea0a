import type { ComponentChildren } from 'preact'

type Props = { label: string; heads: (string | { left: string })[]; look?: string; children: ComponentChildren }

// PlainTable is a small table that scrolls sideways if it is too wide. Headings are aligned to the right, above numbers. A
// heading that is given as { left } is aligned to the left.
export const PlainTable = ({ label, heads, look, children }: Props) => (
  <div class="scroll" tabIndex={0} role="region" aria-label={label}>
    <table class={look ? 'plain ' + look : 'plain'}>
      <thead>
        <tr>
          {heads.map((h, i) => {
            const name = typeof h === 'string' ? h : h.left
            return name ? (
              <th key={i} class={typeof h === 'string' ? undefined : 'left'}>
                {name}
              </th>
            ) : (
              <td key={i} />
            )
          })}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
)
