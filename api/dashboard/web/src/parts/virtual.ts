// Renders only the rows in sight and a few beyond. All rows have the same height, so the scrolled distance determines which rows
// are in sight.
import { useCallback, useEffect, useState } from 'preact/hooks'
import { onResize } from '../core/resize.ts'

const beyond = 12, // additional rows rendered above and below the rows in sight
  mostOnPaper = 2000 // maximum number of rows that are printed

// useVirtual returns the range of rows to render in a scrolling box. `head` is the height of the part that sticks to the top of
// the box. `reveal` scrolls a row into sight and focuses it.
export function useVirtual(box: { current: HTMLElement | null }, count: number, height: number, head: number) {
  const [viewport, setViewport] = useState({ top: 0, rows: 40 }),
    paper = usePaper()
  useEffect(() => {
    const el = box.current
    if (!el) return
    const measure = () =>
      setViewport(now => {
        const top = Math.floor(el.scrollTop / height),
          rows = Math.ceil(el.clientHeight / height)
        return now.top === top && now.rows === rows ? now : { top, rows }
      })
    el.addEventListener('scroll', measure, { passive: true })
    const stop = onResize(el, measure)
    return () => {
      el.removeEventListener('scroll', measure)
      stop()
    }
  }, [box, height])
  const reveal = useCallback(
    (i: number) => {
      const el = box.current
      if (!el) return
      const y = i * height
      if (y < el.scrollTop) el.scrollTop = y
      else if (y + height > el.scrollTop + el.clientHeight - head) el.scrollTop = y + height - el.clientHeight + head
      requestAnimationFrame(() => el.querySelector<HTMLElement>(`[data-row="${i}"]`)?.focus({ preventScroll: true }))
    },
    [box, height, head],
  )
  return {
    first: paper ? 0 : Math.max(0, viewport.top - beyond),
    last: Math.min(count, paper ? mostOnPaper : viewport.top + viewport.rows + beyond),
    reveal,
  }
}

function usePaper() {
  const [on, setOn] = useState(false)
  useEffect(() => {
    const start = () => setOn(true),
      end = () => setOn(false)
    addEventListener('beforeprint', start)
    addEventListener('afterprint', end)
    return () => {
      removeEventListener('beforeprint', start)
      removeEventListener('afterprint', end)
    }
  }, [])
  return on
}

const phone = matchMedia('(max-width: 720px)')

// useRowHeight returns the height of a row of a list in px. On a screen as narrow as a phone's, rows are higher because names take
// two lines.
export function useRowHeight() {
  const [narrow, setNarrow] = useState(phone.matches)
  useEffect(() => {
    const update = () => setNarrow(phone.matches)
    phone.addEventListener('change', update)
    return () => phone.removeEventListener('change', update)
  }, [])
  return narrow ? 54 : 44
}
