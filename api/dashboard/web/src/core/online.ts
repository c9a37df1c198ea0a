// Whether the browser has a network.
import { useEffect, useRef } from 'preact/hooks'
import { signal } from '@preact/signals'

export const offline = signal(!navigator.onLine)
addEventListener('offline', () => {
  offline.value = true
})
addEventListener('online', () => {
  offline.value = false
})

// useOnline calls the function `back` each time the network is available again.
export function useOnline(back: () => void) {
  const last = useRef(back)
  last.current = back
  useEffect(() => {
    const on = () => last.current()
    addEventListener('online', on)
    return () => removeEventListener('online', on)
  }, [])
}
