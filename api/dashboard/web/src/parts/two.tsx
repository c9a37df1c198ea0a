// Two shows a table cell with two lines: the main text, and a second text below it.
export const Two = ({ a, b, mono }: { a: string; b: string; mono?: boolean }) => (
  <span class="named">
    <span class={'cut block' + (mono ? ' mono' : '')} title={a}>
      {a || '—'}
    </span>
    {b && (
      <small class="dim cut" title={b}>
        {b}
      </small>
    )}
  </span>
)
