// What the page uses of uPlot, typed by us.

export interface Cursor {
  left?: number;
  top?: number;
  idx?: number | null;
}

export default class uPlot {
  constructor(options: object, data: (number | null)[][], target: Element);
  ctx: CanvasRenderingContext2D;
  bbox: { left: number; top: number; width: number; height: number };
  cursor: Cursor;
  over: HTMLElement;
  valToPos(value: number, scale: string, canvas?: boolean): number;
  setSize(size: { width: number; height: number }): void;
  setData(data: (number | null)[][]): void;
  setCursor(at: { left: number; top: number }): void;
  destroy(): void;
}
