import { useMemo } from 'preact/hooks'
import { encode } from 'uqr'

// QR shows a text as a QR code, black on white in every theme.
export function QR({ text, label }: { text: string; label: string }) {
  const code = useMemo(() => {
    try {
      return encode(text, { ecc: 'M', border: 2 })
    } catch {
      return null
    }
  }, [text])
  if (!code) return null
  const path = code.data.flatMap((row, y) => row.map((on, x) => (on ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg class="qr" viewBox={`0 0 ${code.size} ${code.size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={code.size} height={code.size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
