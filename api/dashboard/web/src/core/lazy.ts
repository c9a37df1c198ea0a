// Loads a module when a component first needs it.
import { useEffect, useState } from 'preact/hooks'
import { offline, useOnline } from './online.ts'

// useLazy returns a module, and nothing until it has been loaded. Without a network it loads the module when the network is back.
export function useLazy<M>(load: () => Promise<M>): M | undefined {
  const [module, setModule] = useState<M>(),
    [missed, setMissed] = useState(false)
  const get = () =>
    void load().then(
      loaded => setModule(() => loaded),
      e => {
        if (!offline.value) throw e
        setMissed(true)
      },
    )
  useEffect(get, [load])
  useOnline(() => {
    if (missed) get()
  })
  return module
}
