import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

// useShownTab scrolls the open tab of a bar into sight if the bar is wider than the screen.
export function useShownTab(bar: RefObject<HTMLElement | null>, tab: string) {
  useEffect(() => {
    const el = bar.current
    if (!el) return
    const show = () => {
      const open = el.querySelector<HTMLElement>('[aria-current]')
      if (open) el.scrollLeft = open.offsetLeft - el.offsetLeft - (el.clientWidth - open.offsetWidth) / 2
    }
    show()
    const fit = new ResizeObserver(show)
    fit.observe(el)
    return () => fit.disconnect()
  }, [bar, tab])
}
