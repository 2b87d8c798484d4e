// What a section is to the page.
import type { Report } from './report';

export interface View {
  element: HTMLElement;
  update?(params: Record<string, string>): void; // after every change of the address while the section is open
  search?: HTMLElement; // what `/` goes to
  step?(by: 1 | -1): void; // j and k
  toggle?(): void; // o
  printed?(on: boolean): void; // shows more, or all, for paper
}

export interface Section {
  id: string;
  title: string;
  short: string; // for narrow places
  icon: string;
  badge?(report: Report): { text: string; label: string; style?: string } | null;
  create(report: Report): View;
}
