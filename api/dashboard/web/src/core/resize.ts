// Watches the size of an element.

// onResize calls measure in the frame after an element has changed its size. An observer itself must not cause another change of sizes
// while it is called. The returned function ends the watch.
export function onResize(el: Element, measure: () => void): () => void {
  let frame = 0
  const look = new ResizeObserver(() => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(measure)
  })
  look.observe(el)
  return () => {
    cancelAnimationFrame(frame)
    look.disconnect()
  }
}
