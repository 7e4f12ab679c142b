;;; oracl.el --- oracl-git through eglot  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "26.3") (eglot "1.9"))

;;; Commentary:

;; M-x oracl starts the server for this project.  M-x oracl-related, oracl-search and
;; oracl-trace ask it.  Broken references are flymake's, their fixes M-x eglot-code-actions,
;; who refers to a file M-x xref-find-references, as with every server of eglot's.
;; eglot knows one server a buffer: this is for files that have no other.

;;; Code:

(require 'eglot)
(require 'seq)

(defvar oracl-command '("git-oracl" "lsp")
  "How the server is started.")

;;;###autoload
(defun oracl ()
  "Start the server for the files of this project that are in this mode."
  (interactive)
  (let ((eglot-server-programs (list (cons (list major-mode) oracl-command))))
    (apply #'eglot (eglot--guess-contact))))

(defun oracl--ask (method params)
  "The server's answer to METHOD with PARAMS."
  (let ((server (or (eglot-current-server) (user-error "No server here: M-x oracl"))))
    (jsonrpc-request server method params :timeout 30)))

(defun oracl--here ()
  "Parameters that name this file."
  (list :uri (plist-get (eglot--TextDocumentIdentifier) :uri)))

(defun oracl--line (row)
  "The line of ROW to look at."
  (let ((range (plist-get row :range)))
    (if range (1+ (plist-get (plist-get range :start) :line)) 1)))

(defun oracl--says (row)
  "The best reasons of ROW, on one line."
  (mapconcat (lambda (reason) (plist-get reason :text)) (seq-take (plist-get row :reasons) 2) "; "))

(defun oracl--open (row)
  "Visit the file of ROW."
  (find-file (eglot--uri-to-path (plist-get row :uri)))
  (goto-char (point-min))
  (forward-line (1- (oracl--line row))))

(defun oracl--choose (prompt rows)
  "Visit the one of ROWS that is chosen under PROMPT."
  (unless (seq-empty-p rows)
    (let* ((table (mapcar (lambda (row) (cons (format "%s:%d  %s" (plist-get row :path) (oracl--line row)
                                                      (oracl--says row))
                                              row))
                          rows))
           (chosen (completing-read prompt (lambda (text predicate action)
                                             (if (eq action 'metadata)
                                                 '(metadata (display-sort-function . identity))
                                               (complete-with-action action table text predicate)))
                                    nil t)))
      (oracl--open (cdr (assoc chosen table))))))

;;;###autoload
(defun oracl-related ()
  "Choose among the files that go with this one, and visit it."
  (interactive)
  (oracl--choose "Related: " (plist-get (oracl--ask :oracl/related (oracl--here)) :results)))

;;;###autoload
(defun oracl-search (query)
  "Choose among the answers to QUERY, in any words, and visit it."
  (interactive "sWhere is: ")
  (oracl--choose "Found: " (plist-get (oracl--ask :oracl/search (list :query query)) :results)))

;;;###autoload
(defun oracl-trace (&optional out)
  "Show what depends on this file; with prefix argument OUT, what it depends on."
  (interactive "P")
  (let ((tree (plist-get (oracl--ask :oracl/trace
                                     (append (oracl--here) (list :direction (if out "out" "in") :depth 2)))
                         :tree)))
    (with-current-buffer (get-buffer-create "*oracl trace*")
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert (plist-get tree :path) "\n")
        (oracl--branch (plist-get tree :children) 1))
      (special-mode)
      (display-buffer (current-buffer)))))

(defun oracl--branch (steps depth)
  "Insert STEPS, indented by DEPTH."
  (seq-doseq (step steps)
    (insert (make-string (* 2 depth) ?\s))
    (insert-text-button (format "%s:%d" (plist-get step :path) (oracl--line step))
                        'action (lambda (_) (oracl--open step)))
    (insert "  " (plist-get step :relation) " " (plist-get step :symbol) "\n")
    (oracl--branch (plist-get step :children) (1+ depth))))

(provide 'oracl)
;;; oracl.el ends here
