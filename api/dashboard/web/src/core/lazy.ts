// Loads a module when it is first shown.
import { useEffect, useState } from 'preact/hooks'

// useLazy returns a module, and nothing until it has been loaded.
export function useLazy<M>(load: () => Promise<M>): M | undefined {
  const [module, setModule] = useState<M>()
  useEffect(() => {
    void load().then(loaded => setModule(() => loaded))
  }, [load])
  return module
}
