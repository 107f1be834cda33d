export interface Reader {
  read(path: string): string;
}
