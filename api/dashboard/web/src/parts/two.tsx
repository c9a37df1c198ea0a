type Props = { a: string; b: string; phone?: string; mono?: boolean }

// Two shows a table cell with two lines: `a`, and `b` below it. On a narrow screen, `phone` replaces `b`.
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
