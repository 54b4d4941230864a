// What the page uses of preact's hooks, typed by us.

export interface Ref<T> {
  current: T;
}

export type Update<T> = (value: T | ((now: T) => T)) => void;
type Inputs = readonly unknown[];

export function useState<T>(initial: T | (() => T)): [T, Update<T>];
export function useRef<T>(initial: T): Ref<T>;
export function useEffect(effect: () => (() => void) | void, inputs?: Inputs): void;
export function useLayoutEffect(effect: () => (() => void) | void, inputs?: Inputs): void;
export function useMemo<T>(make: () => T, inputs: Inputs): T;
export function useCallback<F extends (...args: never[]) => unknown>(callback: F, inputs: Inputs): F;
export function useId(): string;
