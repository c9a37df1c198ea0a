import type { ComponentChildren } from 'preact'

type Props = { label: string; heads: (string | { left: string })[]; look?: string; children: ComponentChildren }

// PlainTable is a small table that scrolls sideways where it is too wide. A heading is on the right, as numbers are, or on the
// left if it is written as { left }. An empty head is for a column of buttons or of names. `look` has additional CSS classes.
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
