// Two is a cell of two lines: what it is, and what goes with it.
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
