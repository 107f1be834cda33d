"""Rows in memory."""


class Store:
    def __init__(self):
        self.rows = []

    def insert(self, row: dict) -> int:
        self.rows.append(row)
        return len(self.rows)
