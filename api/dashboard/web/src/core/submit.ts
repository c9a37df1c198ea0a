// handleSubmit returns a handler for a form. It calls send in place of the request that the browser would make.
export const handleSubmit = (send: () => unknown) => (e: Event) => {
  e.preventDefault()
  void send()
}
