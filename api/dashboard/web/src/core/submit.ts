// handleSubmit returns a handler for a form. The handler calls `send` instead of the request that the browser would make.
export const handleSubmit = (send: () => unknown) => (e: Event) => {
  e.preventDefault()
  void send()
}
