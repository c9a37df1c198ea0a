type Props = { a: string; b: string; phone?: string; mono?: boolean }

// Two shows a table cell with two lines: the main text, and a second text below it. phone replaces the second text on a narrow screen.
export const Two = ({ a, b, phone, mono }: Props) => (
  <span class="named">
    <span class={'cut block' + (mono ? ' mono' : '')} title={a}>
      {a || '—'}
    </span>
    {b && (
      <small class={'dim cut' + (phone ? ' wide' : '')} title={b}>
        {b}
      </small>
    )}
    {phone && (
      <small class="dim cut onphone" title={phone}>
        {phone}
      </small>
    )}
  </span>
)
