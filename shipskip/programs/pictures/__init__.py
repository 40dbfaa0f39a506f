"""The pictures of cards: a picture's text in lines, its drawing, its views."""
