// What the page uses of htm, typed by us. What stands in a template is not checked: `unknown` takes it all.

import type { h, VNode } from "./preact.js";

declare const htm: { bind(create: typeof h): (parts: TemplateStringsArray, ...values: unknown[]) => VNode };
export default htm;
