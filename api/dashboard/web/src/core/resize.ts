// Watches the size of an element.

// onResize calls `measure` in the animation frame after an element has changed its size, because a ResizeObserver must not change
// sizes in its own callback.
export function onResize(el: Element, measure: () => void): () => void {
  let frame = 0
  const observer = new ResizeObserver(() => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(measure)
  })
  observer.observe(el)
  return () => {
    cancelAnimationFrame(frame)
    observer.disconnect()
  }
}
