// What the page uses of preact, typed by us.

export interface VNode {
  type: unknown;
  props: object;
  key: unknown;
}

export type Renderable = VNode | string | number | bigint | boolean | null | undefined | Renderable[];

export function h(type: unknown, props: object | null, ...children: Renderable[]): VNode;
export function cloneElement(node: VNode, props?: object | null, ...children: Renderable[]): VNode;
export function render(node: Renderable, parent: Element): void;
